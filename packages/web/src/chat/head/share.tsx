import type { Conversation } from '@panoptes/schema'
import { useMutation } from '@tanstack/react-query'
import { isMine, may, useMe } from '../../api/me.ts'
import { chipClass } from '../../design/chip.tsx'
import { Icon } from '../../design/icon.tsx'
import { toast } from '../../design/toast.tsx'
import { oneLine } from '../../sessions/visible-text.ts'
import { words } from '../../words.ts'
import { conversationApi } from '../api/conversation-api.ts'
import { readList, readOne } from '../queries.ts'

const w = words.team.share
const LONGEST = 60

/** Shows whether others in the space can read the conversation; nothing if there are no others. */
export function ShareSwitch({ conversation }: { readonly conversation: Conversation }) {
  const me = useMe()
  const { id, owner, shared = false } = conversation
  const change = useMutation({
    mutationFn: (next: boolean) => conversationApi.change(id, { shared: next }),
    onSuccess: (_, next) => toast({ text: next ? w.nowOn(me?.space ?? '') : w.nowOff }),
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
    onSettled: () => Promise.all([readOne(id), readList()]),
  })
  if (me === null || owner == null) return null
  if (!isMine(conversation, me))
    return (
      <span className="flex items-center gap-1 text-11 whitespace-nowrap text-text-3">
        <Icon name="people" size={14} />
        {w.by(oneLine(conversation.owner_name ?? w.somebody, LONGEST))}
      </span>
    )
  const seen = shared ? w.on(me.space) : w.off
  return (
    <button
      type="button"
      role="switch"
      aria-checked={shared}
      className={chipClass(shared)}
      aria-label={`${w.label}. ${seen}`}
      title={seen}
      disabled={change.isPending || !may(me, 'member')}
      onClick={() => change.mutate(!shared)}
    >
      <Icon name={shared ? 'people' : 'person'} size={14} />
      <span>{shared ? w.label : w.off}</span>
    </button>
  )
}
