import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../../design/dialog.tsx'
import { toast } from '../../design/toast.tsx'
import { useStore } from '../../store.ts'
import { words } from '../../words.ts'
import { closeMaking, making, type Origin } from '../making.ts'
import { PickSession } from './pick-session.tsx'
import { Preview } from './preview.tsx'

const w = words.templates

/** A template of a session: which one, what would be kept of it, and then it is made. */
export default function MakeDialog() {
  const given = useStore(making)?.origin ?? null
  const [chosen, setChosen] = useState<Origin | null>(null)
  const navigate = useNavigate()
  const origin = chosen ?? given
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
          onBack={given === null ? () => setChosen(null) : undefined}
          onDone={done}
        />
      )}
    </Dialog>
  )
}
