import { Menu as Base } from '@base-ui/react/menu'
import type { Action, ActionMenuProps } from './action-menu.tsx'
import { buttonClass } from './button.tsx'
import { Icon } from './icon.tsx'
import { itemClass, MenuList } from './menu-list.tsx'

/** The list behind a button, mounted once someone reaches for the button. */
export default function ActionList({ label, groups }: ActionMenuProps) {
  return (
    <Base.Root modal={false} defaultOpen>
      <Base.Trigger className={buttonClass()}>
        {label}
        <Icon name="down" size={12} />
      </Base.Trigger>
      <MenuList align="end" className="min-w-52">
        {groups.map((group, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a group is identified by its position
          <Base.Group key={i} className={i > 0 ? 'mt-1 border-t border-line pt-1' : ''}>
            {group.map((action) => (
              <Item key={action.label} action={action} />
            ))}
          </Base.Group>
        ))}
      </MenuList>
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
