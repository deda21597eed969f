import type { PastSession } from '@panoptes/schema'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { words } from '../../words.ts'

const ForgetDialog = lazy(() => import('./forget-dialog.tsx'))

/** The way to have a session forgotten. */
export function Forget(props: { readonly session: PastSession; readonly onForgotten: () => void }) {
  const [asks, setAsks] = useState(false)
  return (
    <>
      <Button className="mt-3" onClick={() => setAsks(true)}>
        {words.transcript.forget.action}
      </Button>
      {asks && (
        <Suspense>
          <ForgetDialog
            session={props.session}
            onForgotten={props.onForgotten}
            onClose={() => setAsks(false)}
          />
        </Suspense>
      )}
    </>
  )
}
