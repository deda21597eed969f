import { lazy, type ReactNode } from 'react'
import { chipClass } from '../design/chip.tsx'
import type { GlyphName } from '../design/glyph.tsx'
import { Icon } from '../design/icon.tsx'
import { MenuButton } from '../design/menu-button.tsx'

export interface Choice {
  readonly value: string
  readonly label: string
  readonly glyph?: GlyphName
  readonly note?: string
  /** Further lines of the option. */
  readonly detail?: string
}

export interface PickMenuProps {
  readonly label: string
  /** Shown before the label of the chip. */
  readonly lead?: ReactNode
  readonly shown: string
  readonly picks: readonly Choice[]
  readonly chosen: string | null
  readonly onPick: (value: string) => void
  readonly empty: string
  readonly isPlain?: boolean
}

const loadList = () => import('./pick-list.tsx')
const PickList = lazy(loadList)

export const pickClass = (isPlain: boolean): string => `${chipClass(!isPlain)} max-w-44 min-w-0`

export const PickShown = ({ lead, shown }: Pick<PickMenuProps, 'lead' | 'shown'>) => (
  <>
    {lead}
    <span className="truncate">{shown}</span>
    <Icon name="down" size={12} />
  </>
)

/** A chip that opens a list with one choice. The list is loaded on demand. */
export function PickMenu(props: PickMenuProps) {
  return (
    <MenuButton
      className={pickClass(props.isPlain === true)}
      label={`${props.label}: ${props.shown}`}
      load={loadList}
      menu={<PickList {...props} />}
    >
      <PickShown lead={props.lead} shown={props.shown} />
    </MenuButton>
  )
}
