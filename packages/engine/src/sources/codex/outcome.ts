import { toFields, toText } from '../fields.ts'
import { parsed } from '../json.ts'

export interface Outcome {
  /** True when the call succeeded; null when that is unknown or the call was denied or interrupted. */
  readonly ok: boolean | null
  readonly duration_ms: number | null
}

/** These stand at the head of a command's output; everything after that is the command's own. */
const EXIT = /^(?:Process exited with code|Exit code:) (-?\d+)$/m
const WALL = /^Wall time: ([\d.]+) seconds$/m
const MOST_HEAD = 400

const REFUSED =
  /^(?:unsupported (?:custom tool )?call|failed to parse function arguments|exec_command failed|execution error|apply_patch verification failed|tool call error|command timed out|err:)/i

/** Reads the outcome from the output of a call. Commands begin with their exit code in one of three forms. */
export function parseOutcome(text: string): Outcome {
  const { metadata, success, isError } = text.startsWith('{') ? toFields(parsed(text)) : {}
  const { exit_code, duration_seconds } = toFields(metadata)
  const [head = ''] = text.slice(0, MOST_HEAD).split(/^Output:$/m, 1)
  const code = typeof exit_code === 'number' ? exit_code : numberIn(EXIT.exec(head))
  const seconds = typeof duration_seconds === 'number' ? duration_seconds : numberIn(WALL.exec(head))
  return {
    ok: succeeded({ code, success, isError, head }),
    duration_ms: seconds === null || !(seconds >= 0) ? null : Math.round(seconds * 1_000),
  }
}

interface Signs {
  readonly code: number | null
  readonly success: unknown
  readonly isError: unknown
  readonly head: string
}

function succeeded({ code, success, isError, head }: Signs): boolean | null {
  if (code !== null) return code === 0
  if (typeof success === 'boolean') return success
  if (typeof isError === 'boolean') return !isError
  const [first = ''] = head.replace(WALL, '').trimStart().split('\n', 1)
  return REFUSED.test(first) ? false : null
}

const numberIn = (match: RegExpExecArray | null): number | null =>
  toText(match?.[1]) === null ? null : Number(match?.[1])
