#include "experiments/inspect_widget.h"

#include <fmt/format.h>

#include "base/json.h"
#include "experiments/inspect_settings.h"
#include "report/html_text.h"

namespace attnlab {

extern const std::string_view kWidgetScript;  // page/widget.js, put into the program by CMake

namespace {

constexpr LocalText kHeading{"The widget: six words attend to each other",
                             "Виджет: шесть слов смотрят друг на друга"};
constexpr LocalText kExplanation{
    "Each word draws a query and a key of d numbers; a row shows how much weight the word gives to "
    "each other one. Switch the scale off, or make d larger, and watch the four readouts. What "
    "attnlab inspect prints for the same seed is the same to the last digit.",
    "Каждое слово получает случайные запрос и ключ из d чисел; строка показывает, сколько веса "
    "слово отдаёт каждому. Выключите масштаб или увеличьте d и посмотрите на четыре показания. "
    "attnlab inspect с тем же зерном печатает те же цифры."};
constexpr LocalText kWords{"words", "слова"};
constexpr LocalText kScale{"scale by 1/√d", "масштаб 1/√d"};
constexpr LocalText kD{"size of a head, d", "размер головы, d"};
constexpr LocalText kTemperature{"temperature, T", "температура, T"};
constexpr LocalText kSeed{"seed", "зерно"};
constexpr LocalText kAnother{"next seed", "следующее зерно"};
constexpr LocalText kWeights{"Weights: a row a query, a column a key",
                             "Веса: строка — запрос, столбец — ключ"};
constexpr LocalText kSame{"The same in the terminal:", "То же в терминале:"};

struct Readout {
  std::string_view name;
  LocalText label, help;
};
constexpr Readout kReadouts[] = {
    {"spread",
     {"spread of the scores", "размах оценок"},
     {"largest minus smallest score, as the softmax sees them",
      "наибольшая минус наименьшая оценка, какими их видит softmax"}},
    {"entropy",
     {"entropy of a row, bits", "энтропия строки, бит"},
     {"mean over the rows of weights", "среднее по строкам весов"}},
    {"max_weight", {"largest weight", "наибольший вес"}, {"of all weights", "среди всех весов"}},
    {"gradient_scale",
     {"gradient scale", "мера градиента"},
     {"largest p(1-p) of all weights, at most 0.25",
      "наибольшее p(1-p) среди весов, не больше 0.25"}},
};

constexpr LocalText kSaturated{
    "Saturated: one weight of a row takes nearly all, and hardly any gradient goes through.",
    "Насыщение: почти весь вес строки достаётся одному слову, и градиент почти не проходит."};
constexpr LocalText kFine{"The softmax is not saturated.", "Softmax не насыщен."};
constexpr LocalText kWrongTokens{"Give from 1 to 40 words with blanks between them.",
                                 "Нужно от 1 до 40 слов через пробел."};
constexpr LocalText kWrongD{"d is a whole number from 1 to 65536.",
                            "d — целое число от 1 до 65536."};
constexpr LocalText kWrongTemperature{"T is a number of at least 0.", "T — число не меньше 0."};
constexpr LocalText kWrongSeed{"The seed is a whole number from 0 to 4294967295.",
                               "Зерно — целое число от 0 до 4294967295."};

class Widget {
 public:
  explicit Widget(Language language) : language_(language) {}

  PageSection section() const {
    return {"widget", text(kHeading),
            text_element("p", "", text(kExplanation)) + controls() + weights() + readouts() +
                command() + messages(),
            std::string(kWidgetScript)};
  }

 private:
  std::string text(const LocalText& both) const { return std::string(both.in(language_)); }

  std::string number(const LocalText& label, const char* name, const char* attributes) const {
    return fmt::format("<label>{}<input type=\"number\" name=\"{}\" {}></label>\n",
                       html_text(text(label)), name, attributes);
  }

  std::string controls() const {
    std::string words;
    for (const std::string& word : InspectSettings().words()) {
      words += (words.empty() ? "" : " ") + word;
    }
    std::string out = "<div class=\"widget-controls\">\n";
    out += fmt::format("<label>{}<input type=\"text\" name=\"tokens\" value=\"{}\"></label>\n",
                       html_text(text(kWords)), html_text(words));
    out += number(kD, "d", "value=\"64\" min=\"1\" max=\"65536\" step=\"1\"");
    out += number(kTemperature, "temperature", "value=\"1\" min=\"0\" step=\"any\"");
    out += number(kSeed, "seed", "value=\"1\" min=\"0\" max=\"4294967295\" step=\"1\"");
    out += fmt::format(
        "<label class=\"check\"><input type=\"checkbox\" name=\"scale\" checked>{}</label>\n",
        html_text(text(kScale)));
    out += fmt::format("<button type=\"button\" name=\"another\">{}</button>\n",
                       html_text(text(kAnother)));
    return out + "</div>\n";
  }

  std::string weights() const {
    return fmt::format(
        "<div class=\"heat\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table>\n"
        "<caption class=\"visually-hidden\">{0}</caption><thead></thead><tbody></tbody></table>"
        "</div>\n",
        html_text(text(kWeights)));
  }

  std::string readouts() const {
    std::string out = "<div class=\"readouts\">\n";
    for (const Readout& one : kReadouts) {
      out += fmt::format(
          "<div title=\"{}\"><span>{}</span><output data-readout=\"{}\">-</output></div>\n",
          html_text(one.help.in(language_)), html_text(one.label.in(language_)), one.name);
    }
    return out + "</div>\n<p class=\"message\" role=\"status\"></p>\n";
  }

  std::string command() const {
    return text_element("p", "muted", text(kSame)) +
           "<div class=\"command\"><code>attnlab inspect</code></div>\n";
  }

  // What the script says.
  std::string messages() const {
    const Json texts = {{"saturated", text(kSaturated)},
                        {"fine", text(kFine)},
                        {"wrong",
                         {{"tokens", text(kWrongTokens)},
                          {"d", text(kWrongD)},
                          {"temperature", text(kWrongTemperature)},
                          {"seed", text(kWrongSeed)}}}};
    return "<script type=\"application/json\" id=\"widget-texts\">" + script_json(texts) +
           "</script>\n";
  }

  const Language language_;
};

}  // namespace

PageSection inspect_widget(Language language) { return Widget(language).section(); }

}  // namespace attnlab
