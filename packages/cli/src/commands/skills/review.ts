import type { SkillChange, SkillReviewReply } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { csv as csvLines, plural, shortenPath, shortenPaths } from '../../terminal/format.ts'
import { withLedger } from '../ledger/access.ts'
import { plain } from '../sessions/format.ts'

export interface ReviewOptions {
  readonly apply?: boolean
  readonly undo?: boolean
  readonly csv?: boolean
}

/** Shows the changes that verdicts suggest for skill folders, and makes them with `--apply`. */
export async function review(
  context: Context,
  { apply = false, undo = false, csv = false }: ReviewOptions,
): Promise<void> {
  if (apply && undo)
    throw new CommandFailure('--apply and --undo cannot be combined', {
      code: 'usage',
      next: 'To undo the last review: panoptes skills review --undo',
      exit: EXIT.usage,
    })
  const reply = await withLedger(context, (store) => store.reviewSkills({ apply, undo }))
  const { output } = context
  if (csv) return output.answer(csvLines(CSV, reply.changes.map(csvCells)), reply)
  output.answer(
    reply.changes.length === 0
      ? [undo ? 'There is nothing to undo' : 'There is nothing to do']
      : [...reply.changes.flatMap((change) => changeLines(context, change)), '', formatFooter(reply, undo)],
    reply,
  )
}

function changeLines({ output: { paint } }: Context, change: SkillChange): readonly string[] {
  const { skill, verdict, reason, folder, says, done, problem } = change
  return [
    `${paint.bold(plain(skill, 80))}  ${verdict}`,
    `  ${plain(reason, 300)}`,
    ...(folder === '' ? [] : [`  ${plain(shortenPath(folder), 400)}`]),
    `  ${done ? paint.green('done') : '→'} ${plain(shortenPaths(says), 400)}${problem === null ? '' : `: ${paint.red(plain(shortenPaths(problem), 400))}`}`,
  ]
}

function formatFooter({ applied, changes }: SkillReviewReply, undo: boolean): string {
  const done = changes.filter((change) => change.done).length
  const left = changes.filter(({ problem }) => problem !== null).length
  const leftNote = left > 0 ? ` ${plural(left, 'skill')} unchanged.` : ''
  if (undo) return `Undid ${plural(done, 'change')}.${leftNote}`
  if (applied)
    return `Made ${plural(done, 'change')}.${leftNote}${done > 0 ? ' Undo with: panoptes skills review --undo' : ''}`
  const would = changes.filter(({ action }) => action !== 'none').length
  return would === 0
    ? `Nothing to change.${leftNote}`
    : `Nothing was changed. To make ${plural(would, 'change')}: panoptes skills review --apply${leftNote === '' ? '' : `\n${leftNote.trim()}`}`
}

const CSV = ['skill', 'verdict', 'reason', 'folder', 'action', 'says', 'done', 'problem']

const csvCells = (one: SkillChange) => [
  one.skill,
  one.verdict,
  one.reason,
  one.folder,
  one.action,
  one.says,
  one.done,
  one.problem,
]
