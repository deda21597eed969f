import type { BrowsersReply, TokenInfo, TokenScope } from '@panoptes/schema'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { browsersQuery, tokensQuery } from '../api/queries.ts'
import { deleteAt, postJson, RequestFailure } from '../api/request.ts'
import { Button, IconButton } from '../design/button.tsx'
import { CardRow, Figure } from '../design/card.tsx'
import { copyText } from '../design/copy-button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { toast } from '../design/toast.tsx'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { Block, QueryCard } from './block.tsx'

const w = words.settings.tokens

interface RevealedToken {
  readonly scope: TokenScope
  readonly token: string
}

export function TokensBlock() {
  const query = useQuery({ ...tokensQuery, refetchInterval: 10_000 })
  const client = useQueryClient()
  const [pending, setPending] = useState<TokenScope | null>(null)
  const rotate = useMutation({
    mutationFn: (scope: TokenScope) => postJson<RevealedToken>(`/api/tokens/${scope}/rotate`),
    onSuccess: ({ scope }) => toast({ text: w.rotated(scope) }),
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  })
  return (
    <Block id="tokens" title={w.title} sub={w.sub}>
      <QueryCard query={query} ghosts={3}>
        {({ tokens }) => (
          <>
            {tokens.map((token) => (
              <TokenRow key={token.scope} token={token} onRotate={() => setPending(token.scope)} />
            ))}
            <BrowserRows />
          </>
        )}
      </QueryCard>
      <Confirm
        open={pending !== null}
        onClose={() => setPending(null)}
        onConfirm={() => pending && rotate.mutate(pending)}
        title={w.ask(pending ?? 'full')}
        body={w.effect[pending ?? 'full']}
        action={w.rotate}
      />
    </Block>
  )
}

function TokenRow({ token, onRotate }: { readonly token: TokenInfo; readonly onRotate: () => void }) {
  const now = useNow()
  const reveal = useMutation({
    mutationFn: () => postJson<RevealedToken>(`/api/tokens/${token.scope}/reveal`),
    onSuccess: (revealed) => copyText(revealed.token, w.copied(token.scope)),
    onError: (error) => {
      if (!isToBeConfirmed(error)) toast({ text: error.message, tone: 'failed' })
    },
  })
  return (
    <>
      <CardRow
        title={token.scope}
        detail={w.what[token.scope]}
        end={
          <>
            <code className="mr-2 text-12 text-text-2">{token.masked}</code>
            <Figure
              value={token.last_used === null ? w.never : words.ago(token.last_used, now)}
              label={w.lastUsed}
            />
            <IconButton icon="copy" label={w.copy(token.scope)} onClick={() => reveal.mutate()} />
            <Button icon="rotate" aria-label={w.rotateLabel(token.scope)} onClick={onRotate}>
              {w.rotate}
            </Button>
          </>
        }
      />
      {isToBeConfirmed(reveal.error) && (
        <CardRow glyph="waiting" title={reveal.error.message} detail={reveal.error.next} />
      )}
    </>
  )
}

/** The server reveals a token to a browser only after confirmation in a terminal. */
const isToBeConfirmed = (error: Error | null): error is RequestFailure =>
  error instanceof RequestFailure && error.status === 403

function BrowserRows() {
  const [open, setOpen] = useState(false)
  const query = useQuery({ ...browsersQuery, enabled: open })
  return (
    <>
      <CardRow
        title={w.browsers}
        detail={w.browsersDetail}
        end={
          <Button aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? w.hideBrowsers : w.showBrowsers}
          </Button>
        }
      />
      {open && query.data?.browsers.map((each) => <BrowserRow key={each.id} {...each} />)}
      {open && query.error !== null && <CardRow glyph="failed" title={query.error.message} />}
    </>
  )
}

function BrowserRow({ id, browser, made_at, used_at, current }: BrowsersReply['browsers'][number]) {
  const now = useNow()
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => deleteAt(`/api/browsers/${id}`),
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
    onSettled: () => client.invalidateQueries({ queryKey: browsersQuery.queryKey }),
  })
  return (
    <CardRow
      title={current ? w.thisBrowser(browser) : browser}
      detail={w.browserTimes(words.ago(made_at, now), words.ago(used_at, now))}
      end={
        <Button aria-label={w.signOutLabel(browser)} onClick={() => revoke.mutate()}>
          {w.signOut}
        </Button>
      }
    />
  )
}
