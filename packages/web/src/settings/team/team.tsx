import type { AuditEntry, MeReply } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { queryClient } from '../../api/client.ts'
import { meQuery, useMe } from '../../api/me.ts'
import { isOfBanner, postJson, RequestFailure } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Card, CardRow, GhostRow } from '../../design/card.tsx'
import { ChipMenu } from '../../design/chip.tsx'
import { classes } from '../../design/class-names.ts'
import { WordsField } from '../../design/search-field.tsx'
import { Strip } from '../../design/strip.tsx'
import { toast } from '../../design/toast.tsx'
import * as f from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { Block, QueryCard } from '../block.tsx'
import { Field, fieldClass, Part } from './fields.tsx'
import { PeoplePart } from './people.tsx'
import { type AuditFilter, auditQuery, invalidateTeam, spacesQuery } from './queries.ts'
import { TokensPart } from './tokens.tsx'

const w = words.team
const LONGEST = 80

/** People, tokens, spaces and the audit log of a team. A personal computer has no such section. */
export function TeamBlock() {
  const me = useMe()
  if (me === null) return null
  return (
    <Block id="team" title={w.title} sub={w.sub(me.space)}>
      {me.role === 'admin' ? <Parts me={me} /> : <NotAdmin me={me} />}
    </Block>
  )
}

const Parts = ({ me }: { readonly me: MeReply }) => (
  <>
    <PeoplePart me={me} />
    <TokensPart me={me} of="space" />
    <SpacesPart me={me} />
    <AuditPart />
  </>
)

const NotAdmin = ({ me }: { readonly me: MeReply }) => (
  <>
    <Card>
      <CardRow glyph="done" title={w.notAdmin(me.role, me.space)} detail={w.notAdminNext} />
    </Card>
    {me.user !== null && <TokensPart me={me} of="self" />}
  </>
)

const ACTIONS = Object.entries(w.audit.actions).map(([value, label]) => ({ value, label }))

/** The actions of people and tokens, including refused ones, newest first. */
function AuditPart() {
  const [filter, setFilter] = useState<AuditFilter>({ actor: '', action: '' })
  const field = useRef<HTMLInputElement>(null)
  const query = useInfiniteQuery(auditQuery(filter))
  const entries = query.data?.pages.flatMap((page) => page.entries)
  const isNarrowed = filter.actor !== '' || filter.action !== ''
  return (
    <Part title={w.audit.title}>
      <Card>
        <search aria-label={w.audit.title} className="flex flex-wrap items-center gap-2 px-3 py-2">
          <WordsField
            label={w.audit.who}
            text={filter.actor}
            most={320}
            input={field}
            end={null}
            onChange={(actor = '') => setFilter({ ...filter, actor })}
          />
          <ChipMenu
            label={w.audit.what}
            shown={w.audit.actions[filter.action] ?? w.audit.any}
            choices={ACTIONS}
            chosen={filter.action === '' ? [] : [filter.action]}
            onChange={([action = '']) => setFilter({ ...filter, action })}
            empty={w.audit.any}
          />
        </search>
        {query.error !== null && !isOfBanner(query.error) && (
          <Strip
            alert
            glyph="failed"
            end={<Button onClick={() => void query.refetch()}>{words.actions.tryAgain}</Button>}
          >
            {words.settings.cardFailed} {query.error.message}
            {query.error instanceof RequestFailure && query.error.next !== null && (
              <span className="block text-text-2">{query.error.next}</span>
            )}
          </Strip>
        )}
        {entries === undefined && query.error === null && <GhostRow />}
        {entries?.length === 0 && (
          <p className="px-3 py-2.5 text-12 text-text-3">{isNarrowed ? w.audit.noMatch : w.audit.none}</p>
        )}
        {entries !== undefined && entries.length > 0 && <Entries entries={entries} />}
        {query.hasNextPage && (
          <div className="p-2">
            <Button
              kind="quiet"
              disabled={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {w.audit.more}
            </Button>
          </div>
        )}
      </Card>
    </Part>
  )
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const now = useNow(60_000)
  const c = w.audit.columns
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <div tabIndex={0} className="max-h-96 overflow-auto -outline-offset-2">
      <table aria-label={w.audit.title} className="w-full text-12">
        <thead className="text-left text-11 text-text-3">
          <tr>
            {[c.when, c.who, c.what, c.target, c.outcome].map((name) => (
              <th key={name} scope="col" className="px-3 py-1.5 font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {entries.map((entry) => (
            <tr key={entry.id} className="align-top text-text-2">
              <td className="px-3 py-1.5 whitespace-nowrap" title={f.moment(entry.ts)}>
                {words.ago(entry.ts, now)}
              </td>
              <td className="px-3 py-1.5" title={entry.address ?? undefined}>
                {toVisibleLine(entry.actor ?? w.audit.somebody, LONGEST)}
              </td>
              <td className="px-3 py-1.5 font-mono text-11 leading-5">
                {toVisibleLine(entry.action, LONGEST)}
              </td>
              <td className="px-3 py-1.5 wrap-anywhere">{toVisibleLine(entry.target ?? '', LONGEST)}</td>
              <td className={classes('px-3 py-1.5', entry.outcome !== 'done' && 'text-failed')}>
                {w.audit.outcomes[entry.outcome]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Lists all spaces for people who may create one, and nothing for admins of a single space. */
function SpacesPart({ me }: { readonly me: MeReply }) {
  const query = useQuery(spacesQuery)
  const now = useNow(60_000)
  if (query.error instanceof RequestFailure && query.error.status === 403) return null
  return (
    <Part title={w.spaces.title}>
      <QueryCard query={query} ghosts={1}>
        {({ spaces }) => (
          <>
            {spaces.map(({ name, created_at: since }) => (
              <CardRow
                key={name}
                {...(name === me.space ? { glyph: 'done' as const } : {})}
                title={name}
                detail={w.spaces.since(f.day(since, now))}
                end={name === me.space ? <span className="text-text-3">{w.spaces.here}</span> : undefined}
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
      toast({ text: w.spaces.added(made) })
      void queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
    },
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
    onSettled: invalidateTeam,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(name.trim())
  }
  return (
    <form aria-label={w.spaces.addTitle} className="flex items-end gap-3 px-3 py-3" onSubmit={submit}>
      <div className="w-60 min-w-0">
        <Field label={w.spaces.name}>
          <input
            type="text"
            required
            maxLength={40}
            value={name}
            placeholder={w.spaces.nameExample}
            autoComplete="off"
            spellCheck={false}
            className={fieldClass}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      </div>
      <Button type="submit" disabled={name.trim() === '' || add.isPending}>
        {w.spaces.add}
      </Button>
    </form>
  )
}
