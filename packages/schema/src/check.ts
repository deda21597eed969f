import type { z } from 'zod'
import { ownWords } from './validation-messages.ts'

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
  const parsed = schema.safeParse(input, { error: ownWords })
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, problems: parsed.error.issues.map(toProblem) }
}

function toProblem(issue: z.core.$ZodIssue): Problem {
  return { path: issue.path.map(String).join('.'), reason: issue.message }
}
