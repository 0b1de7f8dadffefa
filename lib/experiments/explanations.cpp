#include "experiments/explanations.h"

namespace attnlab {
namespace {

struct Question {
  std::string_view experiment;
  LocalText text;
};

constexpr Question kQuestions[] = {
    {"variance",
     {"How does the variance of q.k grow with the size d of a head, and does 1/sqrt(d) undo it?",
      "Как дисперсия q.k растёт с размером головы d, и возвращает ли её к единице множитель "
      "1/sqrt(d)?"}},
    {"entropy",
     {"What does the softmax make of a row of scores without and with the scale: how sharp are the "
      "weights, and how much gradient do they let through?",
      "Что softmax делает со строкой оценок без масштаба и с ним: насколько резки веса и сколько "
      "градиента они пропускают?"}},
    {"cost",
     {"From which sequence length n does attention outweigh the linear parts of a layer?",
      "С какой длины последовательности n внимание перевешивает линейные части слоя?"}},
    {"contract",
     {"What does a contraction cost: which indices stay, which are summed, how many multiply-adds?",
      "Сколько стоит свёртка: какие индексы остаются, какие суммируются, сколько "
      "умножений-сложений?"}},
    {"sweep",
     {"How do time, memory and error of each kind of attention grow with the sequence length n, "
      "and "
      "where do they cross?",
      "Как время, память и ошибка каждого вида внимания растут с длиной n и где кривые "
      "пересекаются?"}},
    {"inspect",
     {"What does the softmax make of these queries and keys: is it spread out, sharp, or "
      "saturated?",
      "Что softmax делает с этими запросами и ключами: веса размазаны, резки или насыщены?"}},
    {"profile",
     {"Where does a kernel's time go, stage by stage?",
      "На что уходит время ядра, этап за этапом?"}},
    {"verify",
     {"Is what the lesson and the explainer say of attention true, measured here?",
      "Верно ли то, что урок и разбор говорят о внимании, если измерить это здесь?"}},
    {"compare",
     {"Did anything get better or worse between two results?",
      "Что стало лучше или хуже между двумя результатами?"}},
};

}  // namespace

std::string_view question_of(std::string_view experiment, Language language) {
  for (const Question& one : kQuestions) {
    if (one.experiment == experiment) return one.text.in(language);
  }
  return "";
}

}  // namespace attnlab
