#include "report/page_text.h"

#include <algorithm>

#include "base/check.h"

namespace attnlab {
namespace {

constexpr PageText kTexts[] = {
    {"title", {"attnlab: results", "attnlab: результаты"}},
    {"in plain words", {"In plain words", "Простыми словами"}},
    {"contents", {"Contents", "Содержание"}},
    {"all met", {"{}: all {} expectations are met.", "{}: все ожидания выполнены ({})."}},
    {"some met", {"{}: {} of {} expectations are met.", "{}: выполнено ожиданий: {} из {}."}},
    {"none expected",
     {"{}: nothing is expected of it; see the tables.", "{}: ожиданий не задано; см. таблицы."}},
    {"not checked", {"{} not checked.", "Не проверено: {}."}},
    {"reproduced", {"What was reproduced", "Что воспроизведено"}},
    {"failed", {"What failed or regressed", "Что не сошлось или ухудшилось"}},
    {"nothing failed", {"Nothing failed.", "Неудач нет."}},
    {"nothing checked", {"Nothing was checked.", "Ничего не проверялось."}},
    {"surprising", {"What is surprising", "Что удивляет"}},
    {"partial", {"What is missing", "Чего не хватает"}},
    {"interrupted",
     {"{}: interrupted, {} of {} points are there; what follows is a part.",
      "{}: прерван, есть точек: {} из {}; ниже — только часть."}},
    {"broken",
     {"{}: the run broke down, {} of {} points are there.",
      "{}: выполнение сорвалось, есть точек: {} из {}."}},
    {"not met", {"{}: {} of {} is {}, expected {}", "{}: {} ({}) равно {}, ожидалось {}"}},
    {"not there",
     {"{}: {} of {} has no value, expected {}", "{}: {} ({}): значения нет, ожидалось {}"}},
    {"no value", {"no value", "нет значения"}},
    {"range", {"{} to {}", "от {} до {}"}},
    {"relative", {"{} ±{} relative", "{} ±{} относительно"}},
    {"rows failed",
     {"{}: table {}: {} of {} rows failed; their reasons are in the table.",
      "{}: таблица {}: не удались строки: {} из {}; причины — в таблице."}},
    {"rows refused",
     {"{}: table {}: {} of {} rows were refused; their reasons are in the table.",
      "{}: таблица {}: отклонены строки: {} из {}; причины — в таблице."}},
    {"rows skipped",
     {"{}: table {}: {} of {} rows were skipped; their reasons are in the table.",
      "{}: таблица {}: пропущены строки: {} из {}; причины — в таблице."}},
    {"row failed", {"{}: table {}: a row failed: {}", "{}: таблица {}: строка не удалась: {}"}},
    {"regressed", {"{}: table {}: regressed: {}", "{}: таблица {}: ухудшение: {}"}},
    {"and more", {"and {} more, see below", "и ещё {}, см. ниже"}},
    {"repeat", {"To repeat it", "Как повторить"}},
    {"repeat all", {"To repeat all of this result", "Как повторить весь результат"}},
    {"expectations", {"Expectations: {} of {} met", "Ожидания: выполнено {} из {}"}},
    {"row", {"row", "строка"}},
    {"column", {"column", "столбец"}},
    {"expected", {"expected", "ожидалось"}},
    {"measured", {"measured", "измерено"}},
    {"verdict", {"verdict", "вердикт"}},
    {"pass", {"✓ met", "✓ выполнено"}},
    {"fail", {"✗ not met", "✗ не выполнено"}},
    {"unchecked", {"– not checked", "– не проверено"}},
    {"table row", {"{}: {} row", "{}: строк: {}"}},
    {"table rows", {"{}: {} rows", "{}: строк: {}"}},
    {"no rows", {"No rows.", "Строк нет."}},
    {"first rows",
     {"Without scripts, and in print: the first {} of {} rows.",
      "Без скриптов и на печати: первые {} из {} строк."}},
    {"columns", {"What the columns mean", "Что означают столбцы"}},
    {"machine", {"Machine and build", "Машина и сборка"}},
    {"processor", {"Processor", "Процессор"}},
    {"threads", {"Threads", "Потоки"}},
    {"memory", {"Memory", "Память"}},
    {"governor", {"Frequency governor", "Регулятор частоты"}},
    {"load", {"Load at the start", "Загрузка в начале"}},
    {"simd", {"Instruction set", "Набор инструкций"}},
    {"blas", {"BLAS", "BLAS"}},
    {"compiler", {"Compiler", "Компилятор"}},
    {"flags", {"Flags", "Флаги"}},
    {"version", {"attnlab", "attnlab"}},
    {"kernel", {"System", "Система"}},
    {"start", {"Start (UTC)", "Начало (UTC)"}},
    {"duration", {"Duration", "Длительность"}},
    {"from file", {"From {}", "Из {}"}},
    {"no gnuplot",
     {"There are no plots here: gnuplot was not on PATH when the page was made "
      "(Debian: apt-get install gnuplot-nox). The tables hold all numbers.",
      "Графиков здесь нет: при создании страницы gnuplot не нашёлся в PATH "
      "(Debian: apt-get install gnuplot-nox). Все числа есть в таблицах."}},
    {"failed plots",
     {"Plots that gnuplot did not draw: {}. {}", "Графики, которые gnuplot не нарисовал: {}. {}"}},
    {"thinned",
     {"Of a very long curve the plot shows what can be told apart: the extremes of each stretch. "
      "The table holds all points.",
      "Из очень длинной кривой показано то, что можно различить: крайние значения каждого участка. "
      "Все точки есть в таблице."}},
    {"made by",
     {"Made by attnlab report. The page needs no network; tables sort by the names of their "
      "columns.",
      "Сделано attnlab report. Странице не нужна сеть; таблицы сортируются по именам столбцов."}},
    {"no script",
     {"Without JavaScript tables do not sort and the widget does not compute; all texts, plots and "
      "rows up to the hundredth of a table are here.",
      "Без JavaScript таблицы не сортируются и виджет не считает; все тексты, графики и первые "
      "сто строк таблиц на месте."}},
    // what page.js and tables.js say; {from} and the like are filled in there
    {"script rows", {"rows {from} to {to} of {count}", "строки с {from} по {to} из {count}"}},
    {"script first", {"first rows", "первые строки"}},
    {"script previous", {"previous rows", "предыдущие строки"}},
    {"script next", {"next rows", "следующие строки"}},
    {"script last", {"last rows", "последние строки"}},
    {"script search", {"rows with …", "строки, где есть…"}},
    {"script copy", {"copy", "копировать"}},
    {"script copied", {"copied", "скопировано"}},
};

}  // namespace

std::span<const std::string_view> choice_names(Language) {
  static constexpr std::string_view kNames[] = {"en", "ru"};
  return kNames;
}

std::span<const PageText> page_texts() { return kTexts; }

std::string_view page_text(Language language, std::string_view key) {
  const auto found = std::find_if(std::begin(kTexts), std::end(kTexts),
                                  [&](const PageText& one) { return one.key == key; });
  ATTNLAB_CHECK(found != std::end(kTexts));
  return found->text.in(language);
}

}  // namespace attnlab
