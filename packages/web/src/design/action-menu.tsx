import { lazy } from 'react'
import { buttonClass } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { MenuButton } from './menu-button.tsx'

export interface Action {
  readonly label: string
  readonly icon?: IconName
  /** Text after the label. */
  readonly note?: string
  /** A file to download instead of an action to run. */
  readonly href?: string
  readonly run?: () => void
}

export interface ActionMenuProps {
  readonly label: string
  /** Groups of actions, with a line between them. */
  readonly groups: readonly (readonly Action[])[]
}

const loadList = () => import('./action-list.tsx')
const ActionList = lazy(loadList)

/** A button that opens a list of actions. The list is loaded on demand. */
export function ActionMenu(props: ActionMenuProps) {
  return (
    <MenuButton className={buttonClass()} load={loadList} menu={<ActionList {...props} />}>
      {props.label}
      <Icon name="down" size={12} />
    </MenuButton>
  )
}
