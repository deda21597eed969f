import type { MeReply, TeamToken, TeamUser } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { postJson } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { CardRow, Figure } from '../../design/card.tsx'
import { Confirm } from '../../design/dialog.tsx'
import { toast } from '../../design/toast.tsx'
import * as f from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { FoldRow, QueryCard } from '../block.tsx'
import { Part } from './fields.tsx'
import { NewToken } from './new-token.tsx'
import { invalidateTeam, ownTokensQuery, peopleQuery, teamTokensQuery } from './queries.ts'

const w = words.team.tokens
const LONGEST = 80

/**
 * Valid tokens, with expired and revoked ones folded: those of the space for admins, and the person's own for
 * everyone else.
 */
export function TokensPart(props: { readonly me: MeReply; readonly of: 'space' | 'self' }) {
  const own = props.of === 'self'
  const path = own ? '/api/me/tokens' : '/api/team/tokens'
  const query = useQuery(own ? ownTokensQuery : teamTokensQuery)
  const users = useQuery({ ...peopleQuery, enabled: !own }).data?.users ?? []
  const now = useNow(60_000)
  const [makes, setMakes] = useState(false)
  const [pending, setPending] = useState<TeamToken | null>(null)
  const revoke = useMutation({
    mutationFn: ({ id }: TeamToken) => postJson(`${path}/${encodeURIComponent(id)}/revoke`),
    onSuccess: (_, { label }) => toast({ text: w.revoked(toVisibleLine(label, LONGEST)) }),
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
    onSettled: invalidateTeam,
  })
  const label = toVisibleLine(pending?.label ?? '', LONGEST)
  return (
    <Part
      title={own ? w.ownTitle : w.title}
      end={
        <Button icon="plus" onClick={() => setMakes(true)}>
          {w.make}
        </Button>
      }
    >
      <QueryCard query={query} ghosts={2}>
        {({ tokens }) => {
          const good = tokens.filter((token) => endText(token, now) === null)
          const ended = tokens.filter((token) => endText(token, now) !== null)
          return (
            <>
              {good.length === 0 && <CardRow glyph="unknown" title={own ? w.ownNone : w.none} />}
              {good.map((token) => (
                <TokenRow
                  key={token.id}
                  token={token}
                  owner={own ? '' : ownerEmail(token, users)}
                  now={now}
                  onRevoke={() => setPending(token)}
                />
              ))}
              <FoldRow
                glyph="unknown"
                title={w.ended(ended.length)}
                items={ended.map((token) => ({
                  id: token.id,
                  name: toVisibleLine(token.label, LONGEST),
                  detail: `${token.hint} · ${endText(token, now)}`,
                }))}
              />
            </>
          )
        }}
      </QueryCard>
      <NewToken open={makes} onClose={() => setMakes(false)} me={props.me} path={path} own={own} />
      <Confirm
        open={pending !== null}
        onClose={() => setPending(null)}
        onConfirm={() => pending && revoke.mutate(pending)}
        title={w.ask(label)}
        body={w.effect}
        action={w.revoke}
      />
    </Part>
  )
}

/** How the token ended; null while it is valid. */
function endText({ revoked_at: revoked, expires_at: expires }: TeamToken, now: number): string | null {
  if (revoked !== null) return w.revokedAt(words.ago(revoked, now))
  return expires !== null && expires <= now ? w.endedAt(words.ago(expires, now)) : null
}

const ownerEmail = ({ user_id }: TeamToken, users: readonly TeamUser[]): string =>
  toVisibleLine(users.find(({ id }) => id === user_id)?.email ?? w.machine, LONGEST)

function TokenRow(props: {
  readonly token: TeamToken
  /** The name of the owner; empty if all tokens belong to the reader. */
  readonly owner: string
  readonly now: number
  readonly onRevoke: () => void
}) {
  const { token, now } = props
  const label = toVisibleLine(token.label, LONGEST)
  const about = [
    ...(props.owner === '' ? [] : [props.owner]),
    w.scopes[token.scope],
    words.team.roles[token.role],
    // Older hubs do not send the host.
    ...(token.host == null ? [] : [w.on(toVisibleLine(token.host, LONGEST))]),
    ...(token.expires_at === null ? [] : [w.ends(f.day(token.expires_at, now))]),
  ]
  return (
    <CardRow
      glyph="done"
      title={label}
      detail={about.join(' · ')}
      end={
        <>
          <code className="mr-2 text-12 text-text-2">{token.hint}</code>
          <Figure
            value={token.last_used === null ? w.never : words.ago(token.last_used, now)}
            label={w.lastUsed}
          />
          <Button aria-label={w.revokeLabel(label)} onClick={props.onRevoke}>
            {w.revoke}
          </Button>
        </>
      }
    />
  )
}
