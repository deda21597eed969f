import type { z } from 'zod'

/**
 * Where and why the input is invalid. `path` is dotted (`usage.input`, `content.0.type`) and empty
 * for the whole input.
 */
export interface Problem {
  readonly path: string
  readonly reason: string
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function check<S extends z.ZodType>(schema: S, input: unknown): Checked<z.output<S>> {
  const parsed = schema.safeParse(input, { error: describeIssue })
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, problems: parsed.error.issues.map(toProblem) }
}

function toProblem(issue: z.core.$ZodIssue): Problem {
  return { path: issue.path.map(String).join('.'), reason: issue.message }
}

/** Returns a message for an invalid input if the validator has none of its own. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${formatAlternatives(issue.values.map(String))}`
    case 'unrecognized_keys':
      return `${issue.keys.join(', ')} ${UNKNOWN}`
    case 'too_small':
      return `must be ${issue.inclusive === false ? 'over' : 'at least'} ${issue.minimum}${unit(issue.origin)}`
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'under' : 'at most'} ${issue.maximum}${unit(issue.origin)}`
    case 'invalid_union':
      return 'has none of the allowed forms'
    default:
      return 'is not valid here'
  }
}

const UNKNOWN = 'is not known here'

/** True if a reason names an unknown field of a strict object. */
export const isUnknownField = (reason: string): boolean => reason.endsWith(` ${UNKNOWN}`)

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formatAlternatives = (values: readonly string[]): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`

const unit = (origin: string): string =>
  origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : ''
