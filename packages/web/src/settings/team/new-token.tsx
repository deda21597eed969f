import type { MeReply, Role, TeamToken, TeamUser } from '@panoptes/schema'
import { FOR_OTHERS } from '@panoptes/schema/reading'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { ROLES } from '../../api/me.ts'
import { postJson, RequestFailure } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { CopyButton } from '../../design/copy-button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Strip } from '../../design/strip.tsx'
import { words } from '../../words.ts'
import { Choose, Field, fieldClass } from './fields.tsx'
import { invalidateTeam, peopleQuery } from './queries.ts'

const w = words.team.tokens
const NEVER = 'never'
const MACHINE = ''
const DAYS: Readonly<Record<string, string>> = { ...w.dayChoices, [NEVER]: w.forEver }

interface CreatedToken {
  readonly token: string
  readonly about: TeamToken
}

interface NewTokenOptions {
  readonly me: MeReply
  /** The route that creates it. */
  readonly path: string
  /** Whether the person creates it for themselves, so that no owner is asked for. */
  readonly own: boolean
}

/** Asks for the options of a new token and then shows the token, only this once. */
export function NewToken(props: NewTokenOptions & { readonly open: boolean; readonly onClose: () => void }) {
  const [made, setMade] = useState<CreatedToken | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const close = () => {
    props.onClose()
    setMade(null)
  }
  return (
    <Dialog
      open={props.open}
      onClose={close}
      title={made === null ? w.makeTitle : w.made(toVisibleLine(made.about.label, 60))}
      focus={field}
    >
      {made === null ? (
        <Form {...props} field={field} onCancel={close} onMade={setMade} />
      ) : (
        <Shown token={made.token} onDone={close} />
      )}
    </Dialog>
  )
}

function Form(
  props: NewTokenOptions & {
    readonly field: React.RefObject<HTMLInputElement | null>
    readonly onCancel: () => void
    readonly onMade: (made: CreatedToken) => void
  },
) {
  const { me, own } = props
  const [label, setLabel] = useState('')
  const [scopeChoice, setScope] = useState<TeamToken['scope']>('ingest')
  const [roleChoice, setRole] = useState<Role>('member')
  const [whose, setWhose] = useState(MACHINE)
  const [days, setDays] = useState('90')
  const users = useQuery({ ...peopleQuery, enabled: !own }).data?.users ?? []
  const owners = possibleOwners(users, me.space, me.user?.id)
  const owner = owners.find(({ id }) => id === whose)
  const isOthers = owner !== undefined && owner.id !== me.user?.id
  const most = own ? me.role : (owner?.role ?? 'admin')
  const scopes = scopesFor(most, isOthers)
  const scope = scopes.includes(scopeChoice) ? scopeChoice : (scopes[0] ?? 'ingest')
  const roles = rolesUpTo(most, scope)
  const role = roles.includes(roleChoice) ? roleChoice : (roles.at(-1) ?? 'viewer')
  const make = useMutation({
    mutationFn: () =>
      postJson<CreatedToken>(props.path, {
        label: label.trim(),
        scope,
        role,
        ...(own ? {} : { user_id: owner?.id ?? null }),
        days: days === NEVER ? null : Number(days),
      }),
    onSuccess: props.onMade,
    onSettled: invalidateTeam,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <form onSubmit={submit}>
      {make.error !== null && (
        <Strip alert glyph="failed">
          {make.error.message}
          {make.error instanceof RequestFailure && make.error.next !== null && (
            <span className="block text-text-2">{make.error.next}</span>
          )}
        </Strip>
      )}
      <div className="flex flex-col gap-3 px-4 py-3">
        <Field label={w.label}>
          <input
            ref={props.field}
            type="text"
            required
            maxLength={200}
            value={label}
            placeholder={w.labelExample}
            autoComplete="off"
            className={fieldClass}
            onChange={(event) => setLabel(event.target.value)}
          />
        </Field>
        {!own && (
          <Field label={w.whose}>
            <Choose
              value={whose}
              choices={{
                [MACHINE]: w.ofMachine,
                ...Object.fromEntries(owners.map(({ id, email }) => [id, toVisibleLine(email, 80)])),
              }}
              onChange={setWhose}
            />
          </Field>
        )}
        <div className="grid gap-3 desk:grid-cols-3">
          <Field label={w.scope}>
            <Choose value={scope} choices={toChoices(scopes, w.scopes)} onChange={setScope} />
          </Field>
          <Field label={w.role}>
            <Choose value={role} choices={toChoices(roles, words.team.roles)} onChange={setRole} />
          </Field>
          <Field label={w.days}>
            <Choose value={days} choices={DAYS} onChange={setDays} />
          </Field>
        </div>
        {owner !== undefined && (
          <p className="text-11 text-text-3">
            {isOthers ? w.othersEffect(toVisibleLine(owner.email, 80)) : w.ownEffect}
          </p>
        )}
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
        <Button kind="quiet" onClick={props.onCancel}>
          {words.actions.cancel}
        </Button>
        <Button kind="main" type="submit" disabled={label.trim() === '' || make.isPending}>
          {w.create}
        </Button>
      </div>
    </form>
  )
}

const toChoices = <T extends string>(
  some: readonly T[],
  names: Readonly<Record<T, string>>,
): Readonly<Record<T, string>> =>
  Object.fromEntries(some.map((each) => [each, names[each]])) as Readonly<Record<T, string>>

const Shown = ({ token, onDone }: { readonly token: string; readonly onDone: () => void }) => (
  <>
    <div className="flex flex-col gap-3 px-4 py-3">
      <p role="status" className="text-12 text-text-2">
        {w.once}
      </p>
      <code className="rounded-control border border-line bg-app px-3 py-2 text-12 break-all">{token}</code>
    </div>
    <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
      <CopyButton text={token} label={w.copy} />
      <Button kind="main" onClick={onDone}>
        {w.done}
      </Button>
    </div>
  </>
)

interface Owner {
  readonly id: string
  readonly email: string
  readonly role: Role
}

/** The possible owners: the person themselves and everyone else in the space who may sign in and send. */
export const possibleOwners = (
  users: readonly TeamUser[],
  space: string,
  me: string | undefined,
): readonly Owner[] =>
  users.flatMap(({ id, email, disabled, roles }) => {
    const role = roles[space]
    const canBe = role !== undefined && !disabled && (id === me || role !== 'viewer')
    return canBe ? [{ id, email, role }] : []
  })

/**
 * The roles a token may have, highest last. A viewer cannot send, so tokens for sending need at least a
 * member.
 */
export const rolesUpTo = (role: Role, scope: TeamToken['scope']): readonly Role[] =>
  ROLES.slice(scope === 'full' || scope === 'metrics' ? 0 : 1, ROLES.indexOf(role) + 1)

/**
 * The possible scopes. For another owner, only sending events is allowed, because the creator could otherwise
 * act as that person.
 */
export function scopesFor(role: Role, isOthers: boolean): readonly TeamToken['scope'][] {
  if (isOthers) return FOR_OTHERS
  return role === 'viewer' ? ['full', 'metrics'] : ['ingest', 'full', 'gateway', 'metrics']
}
