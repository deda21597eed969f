import { createContext, type ReactNode, useContext, useState } from 'react'
import { classes } from '../../design/class-names.ts'
import { Icon } from '../../design/icon.tsx'

/** The last command for all folds; `turn` counts the commands. */
export interface AllFolds {
  readonly open: boolean
  readonly turn: number
  /**
   * Folds that were toggled individually since then, by id. Blocks out of view are unmounted and restore
   * their state from here.
   */
  readonly overrides: Map<string, boolean>
}
export const FoldAll = createContext<AllFolds>({ open: false, turn: 0, overrides: new Map() })

/** A block that shows only its head until it is opened; its content is rendered only then. */
export function Fold(props: {
  /** Unique within the transcript. */
  readonly id: string
  /** The message it belongs to, for the key that toggles folds. */
  readonly of?: number
  readonly head: ReactNode
  readonly children: () => ReactNode
  readonly open?: boolean
  readonly className?: string
  readonly headClass?: string
}) {
  const { id } = props
  const all = useContext(FoldAll)
  const [turn, setTurn] = useState(0)
  const open = all.overrides.get(id) ?? (props.open === true || (all.turn > 0 && all.open))
  const toggle = () => {
    all.overrides.set(id, !open)
    setTurn(turn + 1)
  }
  return (
    <div className={props.className}>
      <button
        type="button"
        aria-expanded={open}
        data-fold-of={props.of}
        className={classes(
          'flex min-h-7.5 w-full min-w-0 items-center gap-2 px-2.5 text-left text-12 touch:min-h-11',
          props.headClass,
        )}
        onClick={toggle}
      >
        <span className={classes('flex text-text-3', open && 'rotate-90')}>
          <Icon name="right" size={12} />
        </span>
        {props.head}
      </button>
      {open && props.children()}
    </div>
  )
}
