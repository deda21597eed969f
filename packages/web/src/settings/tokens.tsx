import type { TokenInfo, TokenScope } from '@panoptes/schema'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { tokensQuery } from '../api/queries.ts'
import { postJson } from '../api/request.ts'
import { Button, IconButton } from '../design/button.tsx'
import { CardRow, Figure } from '../design/card.tsx'
import { copyText } from '../design/copy-button.tsx'
import { Confirm } from '../design/dialog.tsx'
import { toast } from '../design/toast.tsx'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { Block, QueryCard } from './block.tsx'

const w = words.settings.tokens

interface Revealed {
  readonly scope: TokenScope
  readonly token: string
}

export function TokensBlock() {
  const query = useQuery({ ...tokensQuery, refetchInterval: 10_000 })
  const client = useQueryClient()
  const [asked, setAsked] = useState<TokenScope | null>(null)
  const rotate = useMutation({
    mutationFn: (scope: TokenScope) => postJson<Revealed>(`/api/tokens/${scope}/rotate`),
    onSuccess: ({ scope }) => toast({ text: w.rotated(scope) }),
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  })
  return (
    <Block id="tokens" title={w.title} sub={w.sub}>
      <QueryCard query={query} ghosts={3}>
        {({ tokens }) =>
          tokens.map((token) => (
            <TokenRow key={token.scope} token={token} onRotate={() => setAsked(token.scope)} />
          ))
        }
      </QueryCard>
      <Confirm
        open={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => asked && rotate.mutate(asked)}
        title={w.ask(asked ?? 'full')}
        body={w.effect[asked ?? 'full']}
        action={w.rotate}
      />
    </Block>
  )
}

function TokenRow({ token, onRotate }: { readonly token: TokenInfo; readonly onRotate: () => void }) {
  const now = useNow()
  const reveal = useMutation({
    mutationFn: () => postJson<Revealed>(`/api/tokens/${token.scope}/reveal`),
    onSuccess: (revealed) => copyText(revealed.token, w.copied(token.scope)),
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
  })
  return (
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
  )
}
