import { lazy } from 'react'
import { chipClass } from './chip.tsx'
import { Icon } from './icon.tsx'
import { MenuButton } from './menu-button.tsx'

export interface Choice {
  readonly value: string
  readonly label: string
  /** Shown at the end of the row: a count or an age. */
  readonly note?: string
}

export interface ChipMenuProps {
  readonly label: string
  /** The text of the chip: the choice, or the name of the filter. */
  readonly shown: string
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly many?: boolean
  readonly empty: string
}

const loadMenu = () => import('./menu.tsx')
const Menu = lazy(loadMenu)

/** A filter chip that opens a list; `many` allows several choices. The list is loaded on demand. */
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
