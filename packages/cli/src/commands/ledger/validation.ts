import { check } from '@panoptes/schema'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import type { QueryParams } from './access.ts'

/** The input and output type of a query schema. */
export type Schema = Parameters<typeof check>[0]
export type Valid<S> = S extends { readonly _zod: { readonly output: infer T } } ? T : never

/** Applies the same rules as the HTTP API. */
export function valid<S extends Schema>(schema: S, params: QueryParams): Valid<S> {
  const values = Object.fromEntries(
    Object.entries(params).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )
  const checked = check(schema, values)
  if (checked.ok) return checked.value as Valid<S>
  const [problem] = checked.problems
  throw new CommandFailure(`${problem?.path ? `--${problem.path} ` : ''}${problem?.reason ?? 'is wrong'}`, {
    code: 'usage',
    next: 'See the options: panoptes help ledger',
    exit: EXIT.usage,
  })
}
