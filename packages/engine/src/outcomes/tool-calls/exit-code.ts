const EXIT = /^(?:Process exited with code|Exit code:?) (-?\d{1,5})$/m
const IN_JSON = /"(?:exit_code|exitCode|returncode)"\s{0,4}:\s{0,4}(-?\d{1,5})\b/
const TIMED_OUT = /^\s{0,8}(?:\[|<[\w-]{1,40}>)?(?:the )?command timed out\b/im
/**
 * Exit codes of commands ended from outside: `timeout`, a closed terminal or pipe, an interrupt, a
 * kill.
 */
const FROM_OUTSIDE: ReadonlySet<number> = new Set([124, 129, 130, 137, 141, 143, -2, -9, -15])
const HEAD = 600
const TAIL = 400

/**
 * True if a command was ended before it was done, so that its failure says nothing about what it
 * ran.
 */
export function wasCut(output: string): boolean {
  const ends = output.length <= HEAD + TAIL ? output : `${output.slice(0, HEAD)}\n${output.slice(-TAIL)}`
  const code = EXIT.exec(ends)?.[1] ?? (output.startsWith('{') ? IN_JSON.exec(ends)?.[1] : undefined)
  return (code !== undefined && FROM_OUTSIDE.has(Number(code))) || TIMED_OUT.test(ends)
}
