/**
 * English messages about the address and the receiver of a webhook. Unlike other messages, they are
 * part of the dashboard, which reads them under `/v2`, where problems have no code.
 */
export const webhookMessages = {
  address_too_long: ({ max }: { max: number }) => `Bad address: at most ${max} characters.`,
  address_not_absolute: 'Bad address: must be absolute and start with https://.',
  address_not_https: 'Bad address: must start with https://.',
  address_with_user: 'Bad address: must not contain a user name or password.',
  address_without_host: 'Bad address: not a host name.',
  address_of_discord: 'Bad address: Discord webhooks cannot receive events.',
  address_is_ip: 'Bad address: must have a host name instead of an IP address.',
  address_with_port: 'Bad address: must use port 443.',
  address_not_found: 'Cannot resolve: the host name has no address.',
  address_not_public:
    'Address not public: the host name resolves to a private or reserved network.',
  ping_unanswered: ({ error }: { error: string }) => `The test PING was not answered: ${error}`,
  ping_refused: ({ status }: { status: number }) =>
    `The test PING must be answered with 200, not ${status}.`,
  ping_not_checked: 'A PING with a wrong signing token must be answered with 401.',
  receiver_answered: ({ status }: { status: number }) => `The receiver answered ${status}.`,
  receiver_checks_nothing: 'The receiver accepted a wrong signing token.',
  deliveries_failed: ({ error }: { error: string }) =>
    `Deliveries failed for too long; last error: ${error}`,
}
