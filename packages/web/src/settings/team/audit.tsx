import type { AuditEntry } from '@panoptes/schema'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isOfBanner, RequestFailure } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Card, GhostRow } from '../../design/card.tsx'
import { ChipMenu } from '../../design/chip-menu.tsx'
import { classes } from '../../design/class-names.ts'
import { WordsField } from '../../design/search-field.tsx'
import { Strip } from '../../design/strip.tsx'
import * as f from '../../format.ts'
import { oneLine } from '../../sessions/visible-text.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { Part } from './fields.tsx'
import { type AuditFilter, auditQuery } from './queries.ts'

const w = words.team.audit
const LONGEST = 80
const ACTIONS = Object.entries(w.actions).map(([value, label]) => ({ value, label }))

/** The actions of people and tokens, including refused ones, newest first. */
export function AuditPart() {
  const [filter, setFilter] = useState<AuditFilter>({ actor: '', action: '' })
  const field = useRef<HTMLInputElement>(null)
  const query = useInfiniteQuery(auditQuery(filter))
  const entries = query.data?.pages.flatMap((page) => page.entries)
  const isNarrowed = filter.actor !== '' || filter.action !== ''
  return (
    <Part title={w.title}>
      <Card>
        <search aria-label={w.title} className="flex flex-wrap items-center gap-2 px-3 py-2">
          <WordsField
            label={w.who}
            text={filter.actor}
            most={320}
            input={field}
            end={null}
            onChange={(actor = '') => setFilter({ ...filter, actor })}
          />
          <ChipMenu
            label={w.what}
            shown={w.actions[filter.action] ?? w.any}
            choices={ACTIONS}
            chosen={filter.action === '' ? [] : [filter.action]}
            onChange={([action = '']) => setFilter({ ...filter, action })}
            empty={w.any}
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
          <p className="px-3 py-2.5 text-12 text-text-3">{isNarrowed ? w.noMatch : w.none}</p>
        )}
        {entries !== undefined && entries.length > 0 && <Entries entries={entries} />}
        {query.hasNextPage && (
          <div className="p-2">
            <Button
              kind="quiet"
              disabled={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              {w.more}
            </Button>
          </div>
        )}
      </Card>
    </Part>
  )
}

function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const now = useNow(60_000)
  const c = w.columns
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <div tabIndex={0} className="max-h-96 overflow-auto -outline-offset-2">
      <table aria-label={w.title} className="w-full text-12">
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
                {oneLine(entry.actor ?? w.somebody, LONGEST)}
              </td>
              <td className="px-3 py-1.5 font-mono text-11 leading-5">{oneLine(entry.action, LONGEST)}</td>
              <td className="px-3 py-1.5 wrap-anywhere">{oneLine(entry.target ?? '', LONGEST)}</td>
              <td className={classes('px-3 py-1.5', entry.outcome !== 'done' && 'text-failed')}>
                {w.outcomes[entry.outcome]}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
