import type { BrokenTemplate, ToolCallExample } from '@panoptes/schema'
import { check, type TaskType, taskType } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { count, tilde } from '../../terminal/words.ts'
import { plain, printable } from '../sessions/words.ts'

/** As it may stand in a line, whatever a file calls itself. */
export const nameText = (name: string): string => plain(name, 200)

/** Files that are no templates are named, so that nobody looks for them in vain. */
export function noteBroken({ output }: Context, broken: readonly BrokenTemplate[]): void {
  for (const { file, reason } of broken)
    output.note(`Left out, and left as it is: ${plain(tilde(file), 400)}: ${plain(reason, 300)}`)
}

export const wrongUse = (message: string, next: string): CommandFailure =>
  new CommandFailure(message, { code: 'usage', next, exit: EXIT.usage })

export function typeOf(asked: string | undefined): TaskType | undefined {
  if (asked === undefined) return undefined
  const checked = check(taskType, asked)
  if (checked.ok) return checked.value
  throw wrongUse(`There is no type ${plain(asked, 60)}`, `There are: ${taskType.options.join(', ')}`)
}

const FOLDED = 4
const WIDE = 160

/** A call and what came of it, folded unless all of it is wanted. */
export function exampleLines(
  { tool_name, arguments: input, result }: ToolCallExample,
  at: number,
  { full, removed = 0 }: { readonly full: boolean; readonly removed?: number },
): readonly string[] {
  const secrets =
    removed === 0 ? '' : ` (${removed === 1 ? '1 secret' : `${count(removed)} secrets`} taken out)`
  const all = printable(result)
  const shown = full ? all : all.slice(0, FOLDED)
  const more = all.length - shown.length
  return [
    `  ${at + 1} → ${plain(tool_name, 60)} ${plain(JSON.stringify(input), full ? 100_000 : WIDE)}${secrets}`,
    ...shown.map((line) => `      ${full ? line : plain(line, WIDE)}`),
    ...(more > 0 ? [`      … ${count(more)} more lines (--full)`] : []),
  ]
}
