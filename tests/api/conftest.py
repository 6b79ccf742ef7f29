"""The gateway that these tests ask: see `tests.gateway_fixtures`."""

from tests.gateway_fixtures import app as app
from tests.gateway_fixtures import client as client
from tests.gateway_fixtures import game as game
from tests.gateway_fixtures import one_server as one_server
from tests.gateway_fixtures import pytest_unconfigure as pytest_unconfigure
from tests.gateway_fixtures import store as store
from tests.gateway_fixtures import with_jobs as with_jobs
from tests.gateway_fixtures import workers_know_the_template as workers_know_the_template
