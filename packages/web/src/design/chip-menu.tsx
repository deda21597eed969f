import { lazy, Suspense, useState } from 'react'
import { chipClass } from './chip.tsx'
import { Icon } from './icon.tsx'

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
  const [asked, setAsked] = useState(false)
  const chip = (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded={asked}
      aria-label={`${props.label}: ${props.shown}`}
      className={`${chipClass(props.chosen.length > 0)} max-w-52`}
      onPointerEnter={() => void loadMenu()}
      onFocus={() => void loadMenu()}
      onClick={() => setAsked(true)}
    >
      <span className="truncate">{props.shown}</span>
      <Icon name="down" size={12} />
    </button>
  )
  if (!asked) return chip
  return (
    <Suspense fallback={chip}>
      <Menu {...props} defaultOpen />
    </Suspense>
  )
}
