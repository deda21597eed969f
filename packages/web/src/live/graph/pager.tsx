import { IconButton } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { words } from '../../words.ts'

const w = words.live
/** More dots than this are not countable. */
const MOST_DOTS = 7

/** Shows which session is visible and moves to the others. */
export function Pager(props: {
  readonly index: number
  readonly of: number
  readonly onTurn: (by: 1 | -1) => void
}) {
  const { index, of, onTurn } = props
  if (of < 2) return null
  return (
    <nav
      aria-label={w.pager}
      className="absolute inset-x-0 bottom-0 z-10 flex items-center justify-between px-1"
    >
      <IconButton icon="left" kind="quiet" label={w.previousSession} onClick={() => onTurn(-1)} />
      <span role="status" className="flex items-center gap-1.5 text-11 text-text-3">
        <span className={of > MOST_DOTS ? '' : 'sr-only'}>{w.sessionPosition(index + 1, of)}</span>
        {of <= MOST_DOTS &&
          Array.from({ length: of }, (_, at) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a dot is identified by its position
              key={at}
              className={classes('h-1.5 rounded-tag', at === index ? 'w-4 bg-gold' : 'w-1.5 bg-line-strong')}
            />
          ))}
      </span>
      <IconButton icon="right" kind="quiet" label={w.nextSession} onClick={() => onTurn(1)} />
    </nav>
  )
}
