import type { Plan } from '@panoptes/engine/hooks'
import type { Context } from '../../context.ts'
import { shortenPath } from '../../terminal/format.ts'

export const CORRECT = 'Nothing was written. Fix the file, then try again.'

export const planDocument = ({ file, changed, diff, backup }: Plan) => ({ file, changed, diff, backup })

/** The path of the backup. */
export const backupLines = (
  { backup }: Plan,
  { dryRun }: { readonly dryRun?: boolean },
): readonly string[] => (backup && !dryRun ? [`Backup: ${shortenPath(backup)}`] : [])

/** Shows the change as a colored diff. */
export function diffLines({ output: { paint } }: Context, { diff }: Plan): readonly string[] {
  if (diff === '') return []
  const lines = diff.split('\n').map((line) => {
    if (line.startsWith('+')) return paint.green(line)
    return line.startsWith('-') ? paint.red(line) : line
  })
  return [...lines, '']
}
