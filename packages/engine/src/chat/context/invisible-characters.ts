/** Line ends of every kind. */
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/** Control characters, direction marks, tags and invisible filler letters. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u034f|[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u115f\u1160\u2800\u3164\uffa0]|[\u17b4\u17b5]|[\u180b-\u180f]|(?![\u200c\u200d])\p{Cf}/gu

/** Variation selectors. One after a character is visible; several are a place to hide text. */
const VARIANTS = /(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|^|\s)[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gmu

/** Joiners connect emoji and the letters of some scripts; elsewhere they can hide text. */
const JOINERS =
  /(?<!\p{L}|\p{M}|\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])[\u200c\u200d]|[\u200c\u200d](?=[\p{ASCII}\u200c\u200d]|$)|(?<=\p{ASCII})[\u200c\u200d]/gmu

export interface Seen {
  readonly text: string
  /** The number of characters removed. */
  readonly unseen: number
}

/** Removes invisible characters and normalizes line ends. */
export function onlySeen(text: string): Seen {
  const whole = text.toWellFormed().replace(LINE_ENDS, '\n')
  let unseen = 0
  const gone = () => {
    unseen += 1
    return ''
  }
  const seen = whole.replace(UNSEEN, gone).replace(VARIANTS, gone).replace(JOINERS, gone)
  return { text: seen, unseen }
}
