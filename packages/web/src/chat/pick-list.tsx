import { Menu as Base } from '@base-ui/react/menu'
import { Glyph } from '../design/glyph.tsx'
import { Icon } from '../design/icon.tsx'
import { itemClass, MenuList } from '../design/menu-list.tsx'
import { type PickMenuProps, PickShown, pickClass } from './pick-menu.tsx'
import { ServerText } from './server-text.tsx'

/** The list behind a chip: the options, their state, and what to do about a broken one. */
export default function PickList(props: PickMenuProps) {
  return (
    <Base.Root modal={false} defaultOpen>
      <Base.Trigger
        className={pickClass(props.isPlain === true)}
        aria-label={`${props.label}: ${props.shown}`}
      >
        <PickShown lead={props.lead} shown={props.shown} />
      </Base.Trigger>
      <MenuList align="start" className="max-h-[min(480px,var(--available-height))] w-72 overflow-y-auto">
        {props.picks.length === 0 && <div className="px-2 py-1 text-12 text-text-3">{props.empty}</div>}
        <Base.RadioGroup value={props.chosen ?? ''} onValueChange={(value: string) => props.onPick(value)}>
          {props.picks.map((pick) => (
            <Base.RadioItem
              key={pick.value}
              value={pick.value}
              closeOnClick
              className={`${itemClass} h-auto! min-h-7 items-start! py-1`}
            >
              <span className="flex h-4.5 w-3.5 items-center text-gold-text">
                <Base.RadioItemIndicator>
                  <Icon name="check" size={14} />
                </Base.RadioItemIndicator>
              </span>
              {pick.glyph && (
                <span className="flex h-4.5 items-center">
                  <Glyph name={pick.glyph} size={14} />
                </span>
              )}
              <span className="flex min-w-0 flex-1 flex-col">
                <span className="flex gap-3">
                  <span className="min-w-0 flex-1 truncate">{pick.label}</span>
                  {pick.note !== undefined && <span className="text-11 text-text-3">{pick.note}</span>}
                </span>
                {pick.detail !== undefined && (
                  <span className="text-11 wrap-anywhere text-text-3">
                    <ServerText text={pick.detail} />
                  </span>
                )}
              </span>
            </Base.RadioItem>
          ))}
        </Base.RadioGroup>
      </MenuList>
    </Base.Root>
  )
}
