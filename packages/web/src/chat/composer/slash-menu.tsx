import { toVisibleLine } from '@panoptes/schema/shown'
import { classes } from '../../design/class-names.ts'
import { words } from '../../words.ts'
import type { SlashItem } from './slash.ts'

const w = words.chat.composer

export const SLASH_ID = 'chat-slash'
export const optionId = (at: number): string => `${SLASH_ID}-${at}`

/** Lists the templates and skills that match the text after the slash. */
export function SlashMenu(props: {
  readonly found: readonly SlashItem[]
  /** Whether there are any templates or skills. */
  readonly hasAny: boolean
  readonly at: number
  readonly onChoose: (one: SlashItem) => void
}) {
  if (props.found.length === 0)
    return <p className="px-2 pb-1 text-12 text-text-3">{props.hasAny ? w.menuNone : w.menuEmpty}</p>
  return (
    <div
      id={SLASH_ID}
      role="listbox"
      aria-label={w.menu}
      className="flex flex-col border-b border-line pb-1.5"
    >
      {props.found.map((one, i) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys
        <div
          key={`${one.kind} ${one.name}`}
          id={optionId(i)}
          role="option"
          aria-selected={i === props.at}
          className={classes(
            'flex h-7 min-w-0 cursor-default items-center gap-2 rounded-chip px-2 text-12 touch:h-11',
            i === props.at ? 'bg-high text-text' : 'text-text-2',
          )}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => props.onChoose(one)}
        >
          <span className="shrink-0 font-medium">{toVisibleLine(one.name, 60)}</span>
          <span className="min-w-0 flex-1 truncate text-11 text-text-3">{toVisibleLine(one.about, 160)}</span>
          <span className="text-11 text-text-3">{one.kind === 'skill' ? w.menuSkill : w.menuTemplate}</span>
        </div>
      ))}
    </div>
  )
}
