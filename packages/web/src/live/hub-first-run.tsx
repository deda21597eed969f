import type { MeReply } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { may } from '../api/me.ts'
import { buttonClass } from '../design/button.tsx'
import { Command } from '../design/command.tsx'
import { words } from '../words.ts'
import { FirstCard, Group } from './first-run-card.tsx'

const w = words.live.first

/** Shown before the first event of a hub: how computers send theirs. */
export function HubFirstRun({ me }: { readonly me: MeReply }) {
  const isAdmin = may(me, 'admin')
  return (
    <FirstCard title={w.hubTitle} body={w.hubBody}>
      <Group title={w.hubToken}>
        <div className="flex items-center gap-3 py-2">
          <p className="min-w-0 flex-1 text-12 text-text-2">{isAdmin ? w.hubTokenAdmin : w.hubTokenOther}</p>
          {isAdmin && (
            <Link to="/settings" hash="team" className={buttonClass()}>
              {w.hubTokenLink}
            </Link>
          )}
        </div>
      </Group>
      <Group title={w.hubForward}>
        <div className="flex flex-col gap-2 py-2">
          <p className="text-12 text-text-2">{w.hubForwardBody}</p>
          <Command text={w.hubForwardCommand(location.origin)} />
          <p className="text-12 text-text-3">{w.hubTranscripts}</p>
        </div>
      </Group>
    </FirstCard>
  )
}
