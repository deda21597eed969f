import { words } from '../words.ts'
import { columns } from './template-row.tsx'

const ROWS = [120, 96, 110, 128, 104, 116]

/** Rows that are still being read. */
export function GhostRows() {
  return (
    <div role="status" className="@container shrink-0 pt-7">
      <span className="sr-only">{words.templates.reading}</span>
      {ROWS.map((width) => (
        <div
          key={width}
          aria-hidden="true"
          className={`h-12 items-center border-t border-line ${columns} max-desk:grid-cols-[1fr]`}
        >
          <span className="flex flex-col gap-2">
            <Bar width={width} tall />
            <Bar width={width / 2} />
          </span>
          <span className="flex max-desk:hidden">
            <Bar width={44} tall />
          </span>
          <span className="col-start-5 flex max-desk:hidden">
            <Bar width={110} />
          </span>
          <span className="col-start-7 flex max-desk:hidden">
            <Bar width={72} tall />
          </span>
        </div>
      ))}
    </div>
  )
}

function Bar({ width, tall = false }: { readonly width: number; readonly tall?: boolean }) {
  return <span className={`rounded-tag bg-high ${tall ? 'h-2.5' : 'h-2'}`} style={{ width }} />
}
