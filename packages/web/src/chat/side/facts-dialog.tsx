import type { RememberedFact } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useMay } from '../../api/me.ts'
import { Button, IconButton } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Strip } from '../../design/strip.tsx'
import { toast } from '../../design/toast.tsx'
import * as f from '../../format.ts'
import { errorText } from '../../sessions/strips.tsx'
import { oneLine, seen } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'
import { conversationApi } from '../api/conversation-api.ts'
import { act } from '../error-toast.ts'
import { factsQuery, readFacts } from '../queries.ts'

const w = words.chat.facts
const LONGEST = 500

/** The facts that Panoptes remembers about the person, with ways to add and forget one. */
export function FactsDialog({ onClose }: { readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery(factsQuery)
  const mayChange = useMay('member')
  const [typed, setTyped] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const add = () =>
    act(async () => {
      if (typed.trim() === '') return
      await conversationApi.remember(typed.trim())
      setTyped('')
      await readFacts()
    })
  return (
    <Dialog open onClose={onClose} title={w.title} focus={field}>
      <p className="border-b border-line px-4 py-2 text-12 text-text-2">{w.note}</p>
      {mayChange ? (
        <form
          className="flex gap-2 border-b border-line px-4 py-2.5"
          onSubmit={(event) => {
            event.preventDefault()
            void add()
          }}
        >
          <input
            ref={field}
            type="text"
            aria-label={w.add}
            placeholder={w.placeholder}
            maxLength={LONGEST}
            value={typed}
            className="h-7 min-w-0 flex-1 rounded-control border border-line-strong bg-surface px-2.5 text-12 placeholder:text-text-3 touch:h-11"
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button kind="main" type="submit" disabled={typed.trim() === ''}>
            {w.add}
          </Button>
        </form>
      ) : (
        <p className="border-b border-line px-4 py-2 text-12 text-text-3">{words.team.forRole.member}</p>
      )}
      {error !== null && (
        <Strip
          alert
          glyph="failed"
          end={<Button onClick={() => void refetch()}>{words.actions.tryAgain}</Button>}
        >
          {errorText(error)}
        </Strip>
      )}
      {!data && error === null && <Strip>{w.wait}</Strip>}
      {data?.facts.length === 0 && <p className="px-4 py-3 text-12 text-text-3">{w.none}</p>}
      <ul className="min-h-0 flex-1 divide-y divide-line overflow-y-auto">
        {data?.facts.map((fact) => (
          <li key={fact.id} className="flex items-center gap-3 px-4 py-1.5 text-12">
            <span className="min-w-0 flex-1 wrap-anywhere">{seen(fact.text)}</span>
            <span className="text-11 whitespace-nowrap text-text-3" title={f.moment(fact.ts)}>
              {words.ago(fact.ts, Date.now())}
            </span>
            {mayChange && (
              <IconButton
                kind="quiet"
                icon="close"
                label={w.forget(oneLine(fact.text, 80))}
                onClick={() => void forget(fact)}
              />
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

const forget = ({ id, text }: RememberedFact): Promise<void> =>
  act(async () => {
    await conversationApi.forgetFact(id)
    await readFacts()
    const undo = () => void act(() => conversationApi.remember(text).then(readFacts))
    toast({ text: w.forgotten, undo })
  })
