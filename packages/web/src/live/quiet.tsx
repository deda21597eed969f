import type { ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { RestingEye } from '../design/eye.tsx'
import { words } from '../words.ts'

/** Nobody is in sight: nothing runs, it is still being read, or the filters name nobody. */
export function Quiet({
  said,
  onClear,
}: {
  readonly said: ReactNode
  readonly onClear?: (() => void) | undefined
}) {
  return (
    <div className="pointer-events-none absolute inset-0 flex flex-col items-center justify-center gap-3">
      <RestingEye />
      <p className="text-text-2">{said}</p>
      {onClear && (
        <Button className="pointer-events-auto" onClick={onClear}>
          {words.live.clear}
        </Button>
      )}
    </div>
  )
}
