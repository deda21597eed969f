import { Menu } from '@base-ui/react/menu'
import { words } from '../words.ts'
import { chipClass } from './chip.tsx'
import { Icon } from './icon.tsx'

export interface Choice {
  readonly value: string
  readonly label: string
  /** Shown at the end of the row: how many, or how long ago. */
  readonly note?: string
}

const itemClass =
  'flex h-7 cursor-default items-center gap-2 rounded-chip px-2 text-12 text-text-2 outline-none select-none data-highlighted:bg-high data-highlighted:text-text touch:h-11'

/** A filter chip that opens a list; several can be chosen where `many` is set. */
export function ChipMenu({
  label,
  shown,
  choices,
  chosen,
  onChange,
  many = false,
  empty,
}: {
  readonly label: string
  /** What the chip says: the choice, or what it would narrow. */
  readonly shown: string
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly many?: boolean
  readonly empty: string
}) {
  const toggle = (value: string, on: boolean) =>
    onChange(on ? (many ? [...chosen, value] : [value]) : chosen.filter((other) => other !== value))
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={`${chipClass(chosen.length > 0)} max-w-52`} aria-label={`${label}: ${shown}`}>
        <span className="truncate">{shown}</span>
        <Icon name="down" size={12} />
      </Menu.Trigger>
      <Menu.Portal container={document.getElementById('page')}>
        <Menu.Positioner
          positionMethod="fixed"
          className="z-40"
          sideOffset={4}
          align="start"
          collisionPadding={8}
        >
          <Menu.Popup className="float max-h-[min(480px,var(--available-height))] min-w-48 overflow-y-auto rounded-control border border-line-strong bg-raised p-1 shadow-float outline-none">
            {chosen.length > 0 && (
              <Menu.Item className={itemClass} onClick={() => onChange([])}>
                <span className="w-3.5" />
                {words.actions.any}
              </Menu.Item>
            )}
            {choices.length === 0 && <div className="px-2 py-1 text-12 text-text-3">{empty}</div>}
            {choices.map((choice) => (
              <Menu.CheckboxItem
                key={choice.value}
                className={itemClass}
                checked={chosen.includes(choice.value)}
                onCheckedChange={(on) => toggle(choice.value, on)}
                closeOnClick={!many}
              >
                <span className="flex w-3.5 text-gold-text">
                  <Menu.CheckboxItemIndicator>
                    <Icon name="check" size={14} />
                  </Menu.CheckboxItemIndicator>
                </span>
                <span className="max-w-72 min-w-0 flex-1 truncate">{choice.label}</span>
                {choice.note !== undefined && <span className="pl-4 text-11 text-text-3">{choice.note}</span>}
              </Menu.CheckboxItem>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
