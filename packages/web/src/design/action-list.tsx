import { Menu as Base } from '@base-ui/react/menu'
import type { Action, ActionMenuProps } from './action-menu.tsx'
import { buttonClass } from './button.tsx'
import { Icon } from './icon.tsx'

const itemClass =
  'flex h-7 cursor-default items-center gap-2 rounded-chip px-2 text-12 text-text-2 outline-none select-none data-highlighted:bg-high data-highlighted:text-text touch:h-11'

/** The list behind a button; it is there once someone reaches for the button. */
export default function ActionList({ label, groups }: ActionMenuProps) {
  return (
    <Base.Root modal={false} defaultOpen>
      <Base.Trigger className={buttonClass()}>
        {label}
        <Icon name="down" size={12} />
      </Base.Trigger>
      <Base.Portal container={document.getElementById('page')}>
        <Base.Positioner
          positionMethod="fixed"
          className="z-40"
          sideOffset={4}
          align="end"
          collisionPadding={8}
        >
          <Base.Popup className="float min-w-52 rounded-control border border-line-strong bg-raised p-1 shadow-float outline-none">
            {groups.map((group, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a group is its place
              <Base.Group key={i} className={i > 0 ? 'mt-1 border-t border-line pt-1' : ''}>
                {group.map((action) => (
                  <Item key={action.label} action={action} />
                ))}
              </Base.Group>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Item({ action }: { readonly action: Action }) {
  const inside = (
    <>
      <span className="flex w-3.5 text-text-3">{action.icon && <Icon name={action.icon} size={14} />}</span>
      <span className="flex-1 whitespace-nowrap">{action.label}</span>
      {action.note !== undefined && <span className="pl-4 text-11 text-text-3">{action.note}</span>}
    </>
  )
  if (action.href === undefined)
    return (
      <Base.Item className={itemClass} onClick={action.run}>
        {inside}
      </Base.Item>
    )
  return (
    <Base.Item className={itemClass} render={<a href={action.href} download />}>
      {inside}
    </Base.Item>
  )
}
