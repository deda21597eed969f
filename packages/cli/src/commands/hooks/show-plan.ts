import type { Plan } from '@panoptes/engine/hooks'
import type { Context } from '../../context.ts'
import { tilde } from '../../terminal/words.ts'

export const CORRECT = 'Correct the file, then try again. Nothing was written.'

export const documentOf = ({ file, changed, diff, backup }: Plan) => ({ file, changed, diff, backup })

/** Where the file as it was is found. */
export const kept = ({ backup }: Plan, { dryRun }: { readonly dryRun?: boolean }): readonly string[] =>
  backup && !dryRun ? [`The file as it was: ${tilde(backup)}`] : []

/** What changes, as a diff in colours. */
export function shown({ output: { paint } }: Context, { diff }: Plan): readonly string[] {
  if (diff === '') return []
  const lines = diff.split('\n').map((line) => {
    if (line.startsWith('+')) return paint.green(line)
    return line.startsWith('-') ? paint.red(line) : line
  })
  return [...lines, '']
}
