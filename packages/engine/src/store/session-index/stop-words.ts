const ENGLISH = `a about after again all also am an and any are as at be because been before being but by can cannot could did do does
  doing done don for from get give go going had has have he hello help her here hi him his how i if in into is it its just let like ll
  make me more most my need no nor not now of off ok okay on once one only or other our out over own please re same see she should so
  some such sure tell than thank thanks that the their them then there these they thing things this those through to too two up us use
  used using ve very want was we well were what when where which while who whom why will with would yes you your yours`

const CJK = `我们 你们 他们 什么 怎么 可以 这个 那个 一个 一下 没有 不是 就是 如何 为什 的是 是不 请问 帮我 です ます ました した する して ある いる これ それ この その から まで
  ください 입니 니다 습니 합니 하는 있는 그리 리고`

/**
 * Words that occur in everything people write and tell nothing about its subject. In other languages, the
 * number of messages with a word shows that.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${CJK}`.split(/\s+/))

export const isStopWord = (word: string): boolean => STOP_WORDS.has(word)
