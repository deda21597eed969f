import type { MeReply, Role, TeamUser } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { canDecideForAll } from '../../api/me.ts'
import { deleteAt, postJson, putJson } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { CardRow, Figure } from '../../design/card.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { toast } from '../../design/toast.tsx'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { QueryCard } from '../block.tsx'
import { Choose, Field, fieldClass, Part } from './fields.tsx'
import { invalidateTeam, peopleQuery } from './queries.ts'

const w = words.team.people
const LONGEST = 80

const at = ({ id }: TeamUser): string => `/api/team/users/${encodeURIComponent(id)}`

/** A mutation that shows its success or failure as a toast. */
const useToastMutation = <T,>(change: (wish: T) => Promise<unknown>, message: (wish: T) => string) =>
  useMutation({
    mutationFn: change,
    onSuccess: (_, wish) => toast({ text: message(wish) }),
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
    onSettled: invalidateTeam,
  })

type PendingAction = { readonly user: TeamUser; readonly to: 'disable' | 'remove' }

export function PeoplePart({ me }: { readonly me: MeReply }) {
  const query = useQuery(peopleQuery)
  const [pending, setPending] = useState<PendingAction | null>(null)
  const able = useToastMutation(
    ({ user, disabled }: { user: TeamUser; disabled: boolean }) => putJson(at(user), { disabled }),
    ({ user, disabled }) => (disabled ? w.isDisabled(user.email) : w.isEnabled(user.email)),
  )
  const remove = useToastMutation(
    (user: TeamUser) => deleteAt(at(user)),
    ({ email }) => w.removed(email),
  )
  const isRemoval = pending?.to === 'remove'
  const who = toVisibleLine(pending?.user.email ?? '', LONGEST)
  return (
    <Part title={w.title}>
      <QueryCard query={query} ghosts={2}>
        {({ users }) => (
          <>
            {users.length === 0 && <CardRow glyph="unknown" title={w.none} />}
            {users.map((user) => (
              <PersonRow
                key={user.id}
                user={user}
                space={me.space}
                mayDisable={canDecideForAll(me)}
                onEnable={() => able.mutate({ user, disabled: false })}
                onAsk={(to) => setPending({ user, to })}
              />
            ))}
            <AddPerson />
          </>
        )}
      </QueryCard>
      <Confirm
        open={pending !== null}
        onClose={() => setPending(null)}
        onConfirm={() => {
          if (pending === null) return
          if (pending.to === 'remove') remove.mutate(pending.user)
          else able.mutate({ user: pending.user, disabled: true })
        }}
        title={isRemoval ? w.askRemove(who) : w.askDisable(who)}
        body={isRemoval ? w.removeEffect : w.disableEffect}
        action={isRemoval ? w.remove : w.disable}
      />
    </Part>
  )
}

function PersonRow(props: {
  readonly user: TeamUser
  readonly space: string
  /** Disabling applies to all spaces, so it needs an admin who may do that. */
  readonly mayDisable: boolean
  readonly onEnable: () => void
  readonly onAsk: (to: PendingAction['to']) => void
}) {
  const { user } = props
  const now = useNow(60_000)
  const who = toVisibleLine(user.email, LONGEST)
  const change = useToastMutation(
    (role: Role) => putJson(at(user), { role }),
    (role) => w.changed(who, role),
  )
  const role = user.roles[props.space]
  return (
    <CardRow
      glyph={user.disabled ? 'failed' : 'done'}
      title={who}
      detail={
        <>
          {toVisibleLine(user.name, LONGEST)}
          {user.disabled && <span className="text-failed"> {w.disabled}</span>}
        </>
      }
      end={
        <>
          <Figure
            value={user.last_seen === null ? w.never : words.ago(user.last_seen, now)}
            label={w.lastSeen}
          />
          {role !== undefined && (
            <Choose
              value={role}
              choices={words.team.roles}
              label={w.role(who)}
              disabled={change.isPending}
              className="w-24!"
              onChange={(next) => change.mutate(next)}
            />
          )}
          {props.mayDisable &&
            (user.disabled ? (
              <Button aria-label={w.do(w.enable, who)} onClick={props.onEnable}>
                {w.enable}
              </Button>
            ) : (
              <Button aria-label={w.do(w.disable, who)} onClick={() => props.onAsk('disable')}>
                {w.disable}
              </Button>
            ))}
          <Button aria-label={w.do(w.remove, who)} onClick={() => props.onAsk('remove')}>
            {w.remove}
          </Button>
        </>
      }
    />
  )
}

function AddPerson() {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('member')
  const add = useToastMutation(
    (wish: { email: string; name: string; role: Role }) => postJson('/api/team/users', wish),
    (wish) => w.added(wish.email),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(
      { email: email.trim(), name: name.trim(), role },
      {
        onSuccess: () => {
          setEmail('')
          setName('')
        },
      },
    )
  }
  return (
    <form
      aria-label={w.addTitle}
      className="grid items-end gap-3 px-3 py-3 desk:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_110px_auto]"
      onSubmit={submit}
    >
      <Field label={w.email}>
        <input
          type="email"
          required
          maxLength={320}
          value={email}
          autoComplete="off"
          className={fieldClass}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label={w.name}>
        <input
          type="text"
          maxLength={200}
          value={name}
          autoComplete="off"
          className={fieldClass}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label={w.as}>
        <Choose value={role} choices={words.team.roles} onChange={setRole} />
      </Field>
      <Button kind="main" type="submit" disabled={email.trim() === '' || add.isPending}>
        {w.add}
      </Button>
    </form>
  )
}
