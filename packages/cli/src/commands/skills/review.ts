import type { SkillChange, SkillReviewReply } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { csv as csvLines } from '../../terminal/csv.ts'
import { count, counted, tilde, tildes } from '../../terminal/words.ts'
import { withLedger } from '../ledger/access.ts'
import { plain } from '../sessions/words.ts'

export interface ReviewOptions {
  readonly apply?: boolean
  readonly undo?: boolean
  readonly csv?: boolean
}

/** What the verdicts ask for on folders of skills; done only where that is asked for. */
export async function review(
  context: Context,
  { apply = false, undo = false, csv = false }: ReviewOptions,
): Promise<void> {
  if (apply && undo)
    throw new CommandFailure('--apply and --undo cannot stand together', {
      code: 'usage',
      next: 'Take the last review back with: panoptes skills review --undo',
      exit: EXIT.usage,
    })
  const reply = await withLedger(context, (ledger) => ledger.reviewSkills({ apply, undo }))
  const { output } = context
  if (csv) return output.answer(csvLines(CSV, reply.changes.map(csvCells)), reply)
  output.answer(
    reply.changes.length === 0
      ? [undo ? 'There is nothing to take back' : 'There is nothing to do']
      : [...reply.changes.flatMap((change) => linesOf(context, change)), '', footOf(reply, undo)],
    reply,
  )
}

function linesOf({ output: { paint } }: Context, change: SkillChange): readonly string[] {
  const { skill, verdict, reason, folder, says, done, problem } = change
  return [
    `${paint.bold(plain(skill, 80))}  ${verdict}`,
    `  ${plain(reason, 300)}`,
    ...(folder === '' ? [] : [`  ${plain(tilde(folder), 400)}`]),
    `  ${done ? paint.green('done') : '→'} ${plain(tildes(says), 400)}${problem === null ? '' : `: ${paint.red(plain(tildes(problem), 400))}`}`,
  ]
}

function footOf({ applied, changes }: SkillReviewReply, undo: boolean): string {
  const done = changes.filter((change) => change.done).length
  const left = changes.filter(({ problem }) => problem !== null).length
  const kept = left > 0 ? ` ${counted(left, 'skill')} left as ${left === 1 ? 'it is' : 'they are'}.` : ''
  if (undo) return `${counted(done, 'change')} taken back.${kept}`
  if (applied)
    return `${counted(done, 'change')} made.${kept}${done > 0 ? ' Take them back with: panoptes skills review --undo' : ''}`
  const would = changes.filter(({ action }) => action !== 'none').length
  return would === 0
    ? `Nothing would be changed.${kept}`
    : `Nothing was changed. ${count(would)} would be: panoptes skills review --apply${kept === '' ? '' : `\n${kept.trim()}`}`
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
