import { describe } from 'vitest'
import { describeArriving } from './team-page/arriving.ts'
import { describeAway } from './team-page/away.ts'
import { describeAxe } from './team-page/axe.ts'
import { describeComputers } from './team-page/computers.ts'
import { describeConversations } from './team-page/conversations.ts'
import { useTeamPage } from './team-page/kit.ts'
import { describePeople } from './team-page/people.ts'
import { describeViewers } from './team-page/viewers.ts'

/** One hub for all of it; it has nothing to show at first. */
describe('the page of a team', () => {
  const kit = useTeamPage()
  describeArriving(kit)
  describeComputers(kit)
  describePeople(kit)
  describeViewers(kit)
  describeAway(kit)
  describeConversations(kit)
  describeAxe(kit)
})
