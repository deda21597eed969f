import { Menu as Base } from '@base-ui/react/menu'
import { words } from '../words.ts'
import type { ChipMenuProps } from './chip.tsx'
import { chipClass } from './chip.tsx'
import { Icon } from './icon.tsx'
import { itemClass, MenuList } from './menu-list.tsx'

/** The list behind a chip, mounted once someone reaches for the chip. */
export default function Menu(props: ChipMenuProps) {
  const { label, shown, choices, chosen, onChange, many = false, empty } = props
  const toggle = (value: string, on: boolean) =>
    onChange(on ? (many ? [...chosen, value] : [value]) : chosen.filter((other) => other !== value))
  return (
    <Base.Root modal={false} defaultOpen>
      <Base.Trigger className={`${chipClass(chosen.length > 0)} max-w-52`} aria-label={`${label}: ${shown}`}>
        <span className="truncate">{shown}</span>
        <Icon name="down" size={12} />
      </Base.Trigger>
      <MenuList align="start" className="max-h-[min(480px,var(--available-height))] min-w-48 overflow-y-auto">
        {chosen.length > 0 && (
          <Base.Item className={itemClass} onClick={() => onChange([])}>
            <span className="w-3.5" />
            {words.actions.any}
          </Base.Item>
        )}
        {choices.length === 0 && <div className="px-2 py-1 text-12 text-text-3">{empty}</div>}
        {choices.map((choice) => (
          <Base.CheckboxItem
            key={choice.value}
            className={itemClass}
            checked={chosen.includes(choice.value)}
            onCheckedChange={(on) => toggle(choice.value, on)}
            closeOnClick={!many}
          >
            <span className="flex w-3.5 text-gold-text">
              <Base.CheckboxItemIndicator>
                <Icon name="check" size={14} />
              </Base.CheckboxItemIndicator>
            </span>
            <span className="max-w-72 min-w-0 flex-1 truncate">{choice.label}</span>
            {choice.note !== undefined && <span className="pl-4 text-11 text-text-3">{choice.note}</span>}
          </Base.CheckboxItem>
        ))}
      </MenuList>
    </Base.Root>
  )
}
