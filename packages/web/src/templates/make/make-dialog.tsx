import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../../design/dialog.tsx'
import { toast } from '../../design/toast.tsx'
import { useStore } from '../../store.ts'
import { words } from '../../words.ts'
import { closeMaking, making, type Origin } from '../make-dialog-state.ts'
import { PickSession } from './pick-session.tsx'
import { Preview } from './preview.tsx'

const w = words.templates

/** Creates a template from a session: choose the session, preview the template, then create it. */
export default function MakeDialog() {
  const initialOrigin = useStore(making)?.origin ?? null
  const [chosen, setChosen] = useState<Origin | null>(null)
  const navigate = useNavigate()
  const origin = chosen ?? initialOrigin
  const show = (name: string) => void navigate({ to: '/templates', search: { name } })
  const done = (name: string) => {
    closeMaking()
    const isHere = location.pathname === '/templates'
    if (isHere) show(name)
    toast({
      text: w.make.created(name),
      ...(isHere ? {} : { act: { label: w.actions.show, run: () => show(name) } }),
    })
  }
  return (
    <Dialog open onClose={closeMaking} title={w.make.title} width="max-w-170">
      {origin === null ? (
        <PickSession onPick={setChosen} />
      ) : (
        <Preview
          key={`${origin.source} ${origin.id}`}
          origin={origin}
          onBack={initialOrigin === null ? () => setChosen(null) : undefined}
          onDone={done}
        />
      )}
    </Dialog>
  )
}
