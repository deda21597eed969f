import { lazy } from 'react'
import { chipClass } from './chip.tsx'
import { Icon } from './icon.tsx'
import { MenuButton } from './menu-button.tsx'

export interface Choice {
  readonly value: string
  readonly label: string
  /** Shown at the end of the row: how many, or how long ago. */
  readonly note?: string
}

export interface ChipMenuProps {
  readonly label: string
  /** What the chip says: the choice, or what it would narrow. */
  readonly shown: string
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly many?: boolean
  readonly empty: string
}

const loadMenu = () => import('./menu.tsx')
const Menu = lazy(loadMenu)

/** A filter chip that opens a list; several can be chosen where `many` is set. The list is loaded when it is asked for. */
export function ChipMenu(props: ChipMenuProps) {
  return (
    <MenuButton
      className={`${chipClass(props.chosen.length > 0)} max-w-52`}
      label={`${props.label}: ${props.shown}`}
      load={loadMenu}
      menu={<Menu {...props} />}
    >
      <span className="truncate">{props.shown}</span>
      <Icon name="down" size={12} />
    </MenuButton>
  )
}
