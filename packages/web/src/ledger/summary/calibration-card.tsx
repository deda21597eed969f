import { useQuery } from '@tanstack/react-query'
import { words } from '../../words.ts'
import { Block } from '../block.tsx'
import { Calibration, useQuantity } from '../calibration.tsx'
import { PlaceLink } from '../place-link.tsx'
import { calibrationQuery } from '../queries.ts'
import { type LedgerSearch, queryOf, toTab } from '../search.ts'
import { whereOf } from '../span-text.ts'
import { moreClass } from './more.ts'

const w = words.ledger

/** What was estimated against what it took. */
export function CalibrationCard({ search, now }: { readonly search: LedgerSearch; readonly now: number }) {
  const query = useQuery(calibrationQuery(queryOf(search, now)))
  const { quantity, choice } = useQuantity(query.data)
  const rows = query.data?.rows.length ?? 0
  const table = rows > 0 && (
    <PlaceLink
      place={{ to: '/ledger', search: { ...toTab(search, 'claims'), view: 'calibration' } }}
      className={moreClass}
    >
      {w.calibration.byModel}
    </PlaceLink>
  )
  return (
    <Block
      title={w.calibration.title}
      query={query}
      lines={6}
      end={
        <>
          {choice}
          {table}
        </>
      }
    >
      {(reply) => (
        <Calibration reply={reply} quantity={quantity} none={w.calibration.none(whereOf(search))} />
      )}
    </Block>
  )
}
