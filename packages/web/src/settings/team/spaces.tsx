import type { MeReply } from '@panoptes/schema'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { queryClient } from '../../api/client.ts'
import { meQuery } from '../../api/me.ts'
import { postJson, RequestFailure } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { CardRow } from '../../design/card.tsx'
import { toast } from '../../design/toast.tsx'
import * as f from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { QueryCard } from '../block.tsx'
import { Field, fieldClass, Part } from './fields.tsx'
import { readTeam, spacesQuery } from './queries.ts'

const w = words.team.spaces

/** Lists all spaces for people who may create one, and nothing for admins of a single space. */
export function SpacesPart({ me }: { readonly me: MeReply }) {
  const query = useQuery(spacesQuery)
  const now = useNow(60_000)
  if (query.error instanceof RequestFailure && query.error.status === 403) return null
  return (
    <Part title={w.title}>
      <QueryCard query={query} ghosts={1}>
        {({ spaces }) => (
          <>
            {spaces.map(({ name, created_at: since }) => (
              <CardRow
                key={name}
                {...(name === me.space ? { glyph: 'done' as const } : {})}
                title={name}
                detail={w.since(f.day(since, now))}
                end={name === me.space ? <span className="text-text-3">{w.here}</span> : undefined}
              />
            ))}
            <AddSpace />
          </>
        )}
      </QueryCard>
    </Part>
  )
}

function AddSpace() {
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: (wish: string) => postJson('/api/team/spaces', { name: wish }),
    onSuccess: (_, made) => {
      setName('')
      toast({ text: w.added(made) })
      void queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
    },
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
    onSettled: readTeam,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(name.trim())
  }
  return (
    <form aria-label={w.addTitle} className="flex items-end gap-3 px-3 py-3" onSubmit={submit}>
      <div className="w-60 min-w-0">
        <Field label={w.name}>
          <input
            type="text"
            required
            maxLength={40}
            value={name}
            placeholder={w.nameExample}
            autoComplete="off"
            spellCheck={false}
            className={fieldClass}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      </div>
      <Button type="submit" disabled={name.trim() === '' || add.isPending}>
        {w.add}
      </Button>
    </form>
  )
}
