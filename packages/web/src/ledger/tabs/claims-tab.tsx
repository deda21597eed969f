import type { Claim } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useRef, useState } from 'react'
import { Glyph } from '../../design/glyph.tsx'
import { words } from '../../words.ts'
import { Block, LedgerCard } from '../block.tsx'
import { Calibration, CalibrationTable, useQuantity } from '../calibration.tsx'
import { checkGlyph, checkWord, claimKey } from '../claim-check.ts'
import { Check, checkPlace, claimPlace, claimText, TierTag } from '../claim-parts.tsx'
import { quantityText } from '../format.ts'
import { Part, RowPanel } from '../panel-parts.tsx'
import { linkClass, PlaceLink } from '../place-link.tsx'
import { shortModel } from '../plot/models.ts'
import { calibrationQuery, claimsQuery } from '../queries.ts'
import { hasLonger, isNarrowed, toQueryString } from '../search-params.ts'
import { describeScope } from '../span-text.ts'
import type { Column } from '../table/columns.ts'
import { type Csv, LedgerTable } from '../table/ledger-table.tsx'
import type { TabProps } from '../table/tab-body.tsx'
import { TabBody } from '../table/tab-body.tsx'
import { useMore } from '../use-more.ts'

const w = words.ledger.claims
const LONGEST = 160

/** Claims with their evidence, or estimates against actuals. */
export function ClaimsTab(props: TabProps) {
  return props.search.view === 'calibration' ? <CalibrationView {...props} /> : <Claims {...props} />
}

function CalibrationView({ search, now }: TabProps) {
  const query = useQuery(calibrationQuery(toQueryString(search, now)))
  const { quantity, choice } = useQuantity(query.data)
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      aria-label={w.views.label}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-3 outline-offset-[-2px] max-desk:px-2.5"
    >
      <LedgerCard>
        <Block title={words.ledger.calibration.title} query={query} end={choice} lines={6}>
          {(reply) => (
            <div className="grid gap-6 roomy:grid-cols-[380px_minmax(0,1fr)]">
              <Calibration
                reply={reply}
                quantity={quantity}
                none={words.ledger.calibration.none(describeScope(search))}
              />
              {reply.rows.length > 0 && <CalibrationTable reply={reply} />}
            </div>
          )}
        </Block>
      </LedgerCard>
    </section>
  )
}

function Claims({ search, now, onClear }: TabProps) {
  const { model, tier, check } = search
  const query = useInfiniteQuery(claimsQuery(toQueryString(search, now, { model, tier, check })))
  const grid = useRef<HTMLTableElement>(null)
  const [open, setOpen] = useState<string | null>(null)
  const rows = useMemo(() => query.data?.pages.flatMap(({ claims }) => claims) ?? [], [query.data])
  const onMore = useMore(query)
  const chosen = open === null ? undefined : rows.find((row) => claimKey(row) === open)
  const close = () => {
    setOpen(null)
    requestAnimationFrame(() => grid.current?.focus({ preventScroll: true }))
  }
  return (
    <div className="relative flex min-h-0 flex-1">
      <TabBody
        error={query.error}
        onRetry={() => void query.refetch()}
        rows={query.data && rows.length}
        none={w.none(describeScope(search))}
        longer={hasLonger(search)}
        narrowed={isNarrowed(search)}
        onClear={onClear}
      >
        <LedgerTable
          label={w.table}
          rows={rows}
          total={query.data?.pages[0]?.total ?? 0}
          columns={createColumns(now)}
          rowKey={claimKey}
          card={(claim) => claimCard(claim, now)}
          csv={csv}
          open={open}
          onOpen={(claim) => setOpen(claimKey(claim))}
          onMore={onMore}
          grid={grid}
        />
      </TabBody>
      {chosen && <ClaimPanel key={open} claim={chosen} onClose={close} />}
    </div>
  )
}

const createColumns = (now: number): readonly Column<Claim>[] => [
  {
    name: w.columns.claim,
    track: 'minmax(160px,2fr)',
    cell: (claim) => <span title={claimText(claim)}>{claimText(claim)}</span>,
  },
  { name: w.columns.tier, track: '116px', cell: (claim) => <TierTag claim={claim} /> },
  {
    name: w.columns.pointer,
    track: 'minmax(90px,1fr)',
    cell: ({ pointer }) => <span className="text-text-2">{toVisibleLine(pointer, LONGEST)}</span>,
  },
  { name: w.columns.check, track: 'minmax(130px,1.4fr)', cell: (claim) => <Check claim={claim} /> },
  {
    name: w.columns.model,
    track: 'minmax(70px,110px)',
    from: 860,
    cell: ({ model }) => (
      <span className="text-text-2">
        {model === null ? words.unknown : toVisibleLine(shortModel(model), LONGEST)}
      </span>
    ),
  },
  {
    name: w.columns.project,
    track: 'minmax(70px,130px)',
    from: 980,
    cell: ({ project }) => (
      <span className="text-text-2">
        {project === null ? words.unknown : toVisibleLine(project, LONGEST)}
      </span>
    ),
  },
  {
    name: w.columns.when,
    track: '84px',
    end: true,
    cell: ({ ts }) => <span className="text-text-2">{words.ago(ts, now)}</span>,
  },
]

const claimCard = (claim: Claim, now: number) => [
  claimText(claim),
  <span key="check" className="text-text-2">
    <Check claim={claim} />
  </span>,
  [w.tiers[claim.evidence_tier], toVisibleLine(claim.pointer, LONGEST), words.ago(claim.ts, now)].join(' · '),
]

const csv: Csv<Claim> = {
  file: 'panoptes-claims.csv',
  heads: [
    ...[
      'source',
      'session_id',
      'agent_id',
      'message_id',
      'project',
      'model',
      'said',
      'value',
      'tier',
      'pointer',
    ],
    ...['check', 'check_says', 'quantity', 'estimated', 'took'],
  ],
  toRow: (claim) => [
    ...[claim.source, claim.session_id, claim.agent_id, claim.message_id, claim.project, claim.model],
    ...[new Date(claim.ts).toISOString(), claim.value, claim.evidence_tier, claim.pointer],
    ...[claim.check.verdict, claim.check.says],
    ...[claim.estimate?.quantity ?? null, claim.estimate?.said ?? null, claim.estimate?.took ?? null],
  ],
}

function ClaimPanel({ claim, onClose }: { readonly claim: Claim; readonly onClose: () => void }) {
  const evidence = checkPlace(claim)
  const { estimate, check } = claim
  return (
    <RowPanel label={w.panel} title={w.quote(toVisible(claim.value))} onClose={onClose}>
      <Part title={w.claimPlace}>
        <p className="pb-1 text-text-2">
          {[claim.model, claim.project, claim.source]
            .filter((part) => part !== null)
            .map((part) => toVisibleLine(part, LONGEST))
            .join(' · ')}
        </p>
        <PlaceLink place={claimPlace(claim)} className={linkClass}>
          {w.toClaim}
        </PlaceLink>
      </Part>
      <Part title={w.evidence}>
        <p className="flex flex-wrap items-center gap-2">
          <TierTag claim={claim} />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {claim.pointer === '' ? w.noPointer : toVisible(claim.pointer)}
          </span>
        </p>
      </Part>
      <Part title={w.checked}>
        <p className="flex gap-1.5">
          <span className="pt-0.5">
            <Glyph name={checkGlyph(claim)} size={14} />
          </span>
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {checkWord(claim)}
            {check.says !== '' && `: ${toVisible(check.says)}`}
          </span>
        </p>
        {estimate && (
          <p className="pt-1 text-text-2">
            {words.ledger.calibration.estimate} {quantityText(estimate.quantity, estimate.said)},{' '}
            {words.ledger.calibration.took}{' '}
            {estimate.took === null ? words.unknown : quantityText(estimate.quantity, estimate.took)}
          </p>
        )}
        {check.evidence?.quote != null && (
          <code className="block pt-1 text-11 [overflow-wrap:anywhere] text-text-3">
            {toVisibleLine(check.evidence.quote, 2 * LONGEST)}
          </code>
        )}
        {evidence && (
          <p className="pt-1">
            <PlaceLink place={evidence} className={linkClass}>
              {w.toEvidence}
            </PlaceLink>
          </p>
        )}
      </Part>
    </RowPanel>
  )
}
