import type { ButtonHTMLAttributes, Ref } from 'react'
import { lazy } from 'react'
import { classes } from './class-names.ts'
import { Icon } from './icon.tsx'
import { MenuButton } from './menu-button.tsx'

export const chipClass = (on: boolean): string =>
  classes(
    'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-chip border px-2 text-12 whitespace-nowrap transition-colors select-none touch:h-11 touch:px-3',
    on
      ? 'border-line-strong bg-high font-medium text-text'
      : 'border-line bg-raised text-text-2 hover:border-line-strong hover:text-text',
  )

/** A filter that is on or off. */
export function Chip({
  on,
  className,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly on: boolean
  readonly ref?: Ref<HTMLButtonElement>
}) {
  return <button type="button" aria-pressed={on} className={classes(chipClass(on), className)} {...rest} />
}

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
