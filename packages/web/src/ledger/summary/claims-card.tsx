import type { Claim, LedgerClaimsReply } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQueries, useQuery } from '@tanstack/react-query'
import { words } from '../../words.ts'
import { Block, moreClass, None } from '../block.tsx'
import { Check, checkPlace, claimPlace, claimText, TierTag } from '../claim-parts.tsx'
import { linkClass, PlaceLink } from '../place-link.tsx'
import { fewClaimsQuery } from '../queries.ts'
import { type LedgerSearch, toQueryString, toTab } from '../search-params.ts'
import { describeScope } from '../span-text.ts'
import { selectNotableClaims } from './summary-rows.ts'

const w = words.ledger.claims
const FEW = 4
const LONGEST = 60

/** The newest claims of each kind are requested, so that one kind does not crowd out failed ones. */
const KINDS = [
  { check: 'fails', tier: 'REAL' },
  { check: 'fails', tier: 'FROM-JOURNAL' },
  { check: 'open', tier: 'REAL' },
  { check: 'open', tier: 'FROM-JOURNAL' },
] as const

/** Failed claims first, then those that could not be checked. */
export function ClaimsCard({ search, now }: { readonly search: LedgerSearch; readonly now: number }) {
  const kinds = useQueries({
    queries: KINDS.map((kind) => fewClaimsQuery(toQueryString(search, now, { ...kind, limit: FEW }))),
  })
  const query = useQuery(fewClaimsQuery(toQueryString(search, now, { limit: 4 * FEW })))
  const shown = selectNotableClaims(
    [...kinds, query].flatMap(({ data }) => data?.claims ?? []),
    FEW,
  )
  const total = query.data?.total ?? 0
  const failed = kinds.slice(0, 2).reduce((sum, { data }) => sum + (data?.total ?? 0), 0)
  const wrong = [query, ...kinds].find(({ error }) => error !== null)
  const waits = kinds.some(({ data, error }) => data === undefined && error === null)
  return (
    <Block<LedgerClaimsReply>
      title={w.title}
      query={{
        ...query,
        data: waits ? undefined : query.data,
        error: wrong?.error ?? null,
        refetch: (wrong ?? query).refetch,
      }}
      lines={4}
      end={
        total > 0 && (
          <>
            <span className="text-12 whitespace-nowrap text-text-3">{w.summary(total, failed)}</span>
            <PlaceLink place={{ to: '/ledger', search: toTab(search, 'claims') }} className={moreClass}>
              {words.ledger.all(total)}
            </PlaceLink>
          </>
        )
      }
    >
      {() => (shown.length === 0 ? <None>{w.none(describeScope(search))}</None> : <Table claims={shown} />)}
    </Block>
  )
}

function Table({ claims }: { readonly claims: readonly Claim[] }) {
  const head = 'py-[5px] pr-4 text-left font-normal'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <section tabIndex={0} aria-label={w.table} className="-mx-1 overflow-x-auto px-1">
      <table className="w-full table-fixed text-12">
        <thead>
          <tr className="border-b border-line text-11 text-text-3">
            <th scope="col" className={`${head} desk:w-[32%]`}>
              {w.columns.claim}
            </th>
            <th scope="col" className={`${head} w-32 max-desk:hidden`}>
              {w.columns.tier}
            </th>
            <th scope="col" className={`${head} max-desk:hidden`}>
              {w.columns.pointer}
            </th>
            <th scope="col" className={`${head} desk:w-[30%]`}>
              {w.columns.check}
            </th>
          </tr>
        </thead>
        <tbody>
          {claims.map((claim) => (
            <Row
              key={`${claim.source} ${claim.session_id} ${claim.message_id} ${claim.place}`}
              claim={claim}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Row({ claim }: { readonly claim: Claim }) {
  const evidence = checkPlace(claim)
  const pointer = toVisibleLine(claim.pointer, LONGEST)
  const cell = 'truncate py-[5px] pr-4'
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className={`${cell} text-left font-normal`}>
        <PlaceLink
          place={claimPlace(claim)}
          className="block truncate hover:underline touch:py-3"
          title={claimText(claim)}
        >
          {claimText(claim)}
        </PlaceLink>
      </th>
      <td className="py-[5px] pr-4 max-desk:hidden">
        <TierTag claim={claim} />
      </td>
      <td className={`${cell} text-text-2 max-desk:hidden`} title={pointer}>
        {evidence === null ? (
          pointer
        ) : (
          <PlaceLink place={evidence} className={linkClass}>
            {pointer}
          </PlaceLink>
        )}
      </td>
      <td className={cell}>
        {evidence === null ? (
          <Check claim={claim} />
        ) : (
          <PlaceLink place={evidence} className="block hover:underline touch:py-3">
            <Check claim={claim} />
          </PlaceLink>
        )}
      </td>
    </tr>
  )
}
