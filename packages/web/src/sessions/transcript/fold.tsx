import { createContext, type ReactNode, useContext, useState } from 'react'
import { classes } from '../../design/class.ts'
import { Icon } from '../../design/icon.tsx'

/** What was last asked of all folds at once; `turn` grows with each time. */
export interface AllFolds {
  readonly open: boolean
  readonly turn: number
}
export const FoldAll = createContext<AllFolds>({ open: false, turn: 0 })

/** A block that shows its head alone until it is opened; only then what is in it is drawn. */
export function Fold(props: {
  readonly head: ReactNode
  readonly children: () => ReactNode
  readonly open?: boolean
  readonly className?: string
  readonly failed?: boolean
}) {
  const all = useContext(FoldAll)
  const [state, setState] = useState({ open: all.turn > 0 ? all.open : props.open === true, turn: all.turn })
  const open = state.turn === all.turn ? state.open : all.open
  return (
    <div data-failed={props.failed ? '' : undefined} className={props.className}>
      <button
        type="button"
        aria-expanded={open}
        className="flex min-h-7.5 w-full min-w-0 items-center gap-2 px-2.5 text-left text-12 touch:min-h-11"
        onClick={() => setState({ open: !open, turn: all.turn })}
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
