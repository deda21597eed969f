import type { MeReply } from '@panoptes/schema'
import { useMe } from '../../api/me.ts'
import { Card, CardRow } from '../../design/card.tsx'
import { words } from '../../words.ts'
import { Block } from '../block.tsx'
import { AuditPart } from './audit.tsx'
import { PeoplePart } from './people.tsx'
import { SpacesPart } from './spaces.tsx'
import { TokensPart } from './tokens.tsx'

const w = words.team

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
