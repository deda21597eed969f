import { words } from '../../words.ts'

const BARS = ['62%', '38%', '74%', '20%', '30%']

/** A turn that is still being read. */
export function GhostTurn() {
  return (
    <div role="status" className="flex flex-col gap-4 py-2">
      <span className="sr-only">{words.moa.turn.wait}</span>
      <span aria-hidden="true" className="h-4 w-2/5 rounded-tag bg-high" />
      <span aria-hidden="true" className="flex flex-col gap-2">
        {BARS.map((width) => (
          <span key={width} className="h-3 rounded-tag bg-high" style={{ width }} />
        ))}
      </span>
      <span aria-hidden="true" className="grid gap-2.5 desk:grid-cols-4">
        {BARS.slice(1).map((width) => (
          <span key={width} className="h-48 rounded-card border border-line bg-raised" />
        ))}
      </span>
    </div>
  )
}
