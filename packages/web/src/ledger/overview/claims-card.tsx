import type { Claim, LedgerClaimsReply } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { oneLine } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import { Block, None } from '../block.tsx'
import { Check, checkPlace, claimText, saidPlace, TierTag } from '../claim-parts.tsx'
import { linkClass, PlaceLink } from '../place-link.tsx'
import { fewClaimsQuery } from '../queries.ts'
import { type LedgerSearch, queryOf, toTab } from '../search.ts'
import { moreClass } from './more.ts'
import { worthALook } from './worth-a-look.ts'

const w = words.ledger.claims
const FEW = 5
const LONGEST = 60

/** Those that did not hold first, then the newest. */
export function ClaimsCard({ search, now }: { readonly search: LedgerSearch; readonly now: number }) {
  const failed = useQuery(fewClaimsQuery(queryOf(search, now, { check: 'fails', limit: FEW })))
  const query = useQuery(fewClaimsQuery(queryOf(search, now, { limit: 4 * FEW })))
  const shown = worthALook(failed.data?.claims ?? [], query.data?.claims ?? [], FEW)
  const total = query.data?.total ?? 0
  return (
    <Block<LedgerClaimsReply>
      title={w.title}
      query={
        query.error === null
          ? { ...query, error: failed.error, refetch: failed.error ? failed.refetch : query.refetch }
          : query
      }
      lines={4}
      end={
        total > 0 && (
          <>
            <span className="text-12 whitespace-nowrap text-text-3">
              {w.kept(total, failed.data?.total ?? 0)}
            </span>
            <PlaceLink place={{ to: '/ledger', search: toTab(search, 'claims') }} className={moreClass}>
              {words.ledger.all(total)}
            </PlaceLink>
          </>
        )
      }
    >
      {() => (shown.length === 0 ? <None>{w.none}</None> : <Table claims={shown} />)}
    </Block>
  )
}

function Table({ claims }: { readonly claims: readonly Claim[] }) {
  const head = 'py-1.5 pr-4 text-left font-normal'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached by key
    <section tabIndex={0} aria-label={w.table} className="-mx-1 overflow-x-auto px-1">
      <table className="w-full table-fixed text-12 max-desk:table-auto">
        <thead>
          <tr className="border-b border-line text-11 text-text-3">
            <th scope="col" className={`${head} w-[32%]`}>
              {w.columns.claim}
            </th>
            <th scope="col" className={`${head} w-32`}>
              {w.columns.tier}
            </th>
            <th scope="col" className={head}>
              {w.columns.pointer}
            </th>
            <th scope="col" className={`${head} w-[30%]`}>
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
  const pointer = oneLine(claim.pointer, LONGEST)
  const cell = 'truncate py-1.5 pr-4 max-desk:max-w-52'
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className={`${cell} text-left font-normal`}>
        <PlaceLink place={saidPlace(claim)} className="hover:underline" title={claimText(claim)}>
          {claimText(claim)}
        </PlaceLink>
      </th>
      <td className="py-1.5 pr-4">
        <TierTag claim={claim} />
      </td>
      <td className={`${cell} text-text-2`} title={pointer}>
        {evidence === null ? (
          pointer
        ) : (
          <PlaceLink place={evidence} className={linkClass}>
            {pointer}
          </PlaceLink>
        )}
      </td>
      <td className={cell}>
        <Check check={claim.check} />
      </td>
    </tr>
  )
}
