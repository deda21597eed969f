import type { BrokenTemplate, ToolCallExample } from '@panoptes/schema'
import { check, type TaskType, taskType } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { usageFailure } from '../../failure.ts'
import { plural, shortenPath } from '../../terminal/format.ts'
import { plain, printable } from '../sessions/format.ts'

/** Formats a template name for one line, because a file can contain any text. */
export const nameText = (name: string): string => plain(name, 200)

/** Names files that are not valid templates, so that users know why they are missing. */
export function noteBroken({ output }: Context, broken: readonly BrokenTemplate[]): void {
  for (const { file, reason } of broken)
    output.note(`Skipped ${plain(shortenPath(file), 400)}: ${plain(reason, 300)}`)
}

export function parseTaskType(text: string | undefined): TaskType | undefined {
  if (text === undefined) return undefined
  const checked = check(taskType, text)
  if (checked.ok) return checked.value
  throw usageFailure(`Unknown type: ${plain(text, 60)}`, `Choose one of: ${taskType.options.join(', ')}`)
}

const FOLDED = 4
const WIDE = 160

/** Formats a call and its result, shortened unless `full` is set. */
export function exampleLines(
  { tool_name, arguments: input, result }: ToolCallExample,
  at: number,
  { full, removed = 0 }: { readonly full: boolean; readonly removed?: number },
): readonly string[] {
  const secrets = removed === 0 ? '' : ` (${plural(removed, 'secret')} removed)`
  const all = printable(result)
  const shown = full ? all : all.slice(0, FOLDED)
  const more = all.length - shown.length
  return [
    `  ${at + 1} → ${plain(tool_name, 60)} ${plain(JSON.stringify(input), full ? 100_000 : WIDE)}${secrets}`,
    ...shown.map((line) => `      ${full ? line : plain(line, WIDE)}`),
    ...(more > 0 ? [`      … ${plural(more, 'more line')} (--full)`] : []),
  ]
}
