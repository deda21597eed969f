import { createContext, type ReactNode, useContext, useState } from 'react'
import { classes } from '../../design/class.ts'
import { Icon } from '../../design/icon.tsx'

/** What was last asked of all folds at once; `turn` grows with each time. */
export interface AllFolds {
  readonly open: boolean
  readonly turn: number
  /** What was opened or closed one by one since, by name: what is out of view is not drawn, and comes back as it was. */
  readonly kept: Map<string, boolean>
}
export const FoldAll = createContext<AllFolds>({ open: false, turn: 0, kept: new Map() })

/** A block that shows its head alone until it is opened; only then what is in it is drawn. */
export function Fold(props: {
  /** Its name in this transcript. */
  readonly id: string
  /** The message it is of, for the key that folds. */
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
  const open = all.kept.get(id) ?? (props.open === true || (all.turn > 0 && all.open))
  const toggle = () => {
    all.kept.set(id, !open)
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
