/**
 * What programs print when they break. Each pattern begins at a line or at words that are seldom, and repeats nothing without a
 * bound, so that a text of any kind takes time by its length alone.
 */
const ALONE: readonly RegExp[] = [
  // Python
  /^[ \t+|]{0,16}Traceback \(most recent call last\):/m,
  /^[ \t]{0,16}(?:SyntaxError|IndentationError|TabError): /m,
  // Go
  /^panic: /m,
  /^goroutine \d{1,12} \[/m,
  // Rust
  /^thread '[^'\n]{0,200}' (?:\(\d{1,12}\) )?panicked at /m,
  // Java and its kin
  /^Exception in thread "/m,
  /^[ \t]{1,16}at [\w$.<>/@]{1,300}\((?:[\w$-]{1,200}\.(?:java|kt|scala|groovy|clj):\d{1,9}|Native Method|Unknown Source)\)/m,
]

/** JavaScript: frames alone are also in a profile or a comment. */
const FRAME = /^[ \t]{1,16}at [^\n]{0,1000}:\d{1,9}:\d{1,9}\)?[ \t\r]{0,8}$/m
const THROWN = /^[ \t]{0,16}(?:Uncaught )?(?:\w{1,40}: )?[\w$.]{0,100}(?:Error|Exception)\b/m

export const hasTrace = (text: string): boolean =>
  ALONE.some((trace) => trace.test(text)) || (FRAME.test(text) && THROWN.test(text))
